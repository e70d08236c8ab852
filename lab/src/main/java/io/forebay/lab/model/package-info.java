/**
 * Channels, costs, fleets and wear by the formulas of the published tests, with their constants as
 * defaults. Where a formula does not give the published figure, a {@link
 * io.forebay.lab.model.Discrepancy} says which assumption would.
 *
 * <pre>
 *   ChannelModel     cache ÷ segment set ÷ segments             ──► channels of a server, socket, VM
 *   CostModel        (price + power + rack) ÷ traffic of years  ──► $ per Gbit/s, cents per TB
 *   FleetModel       traffic of a fleet ÷ Gbit/s of a server    ──► servers, racks, MW
 *   EnduranceModel   bytes a day ÷ capacity, PBW ÷ bytes a day  ──► drive writes a day, years
 * </pre>
 */
@NullMarked
package io.forebay.lab.model;

import org.jspecify.annotations.NullMarked;
