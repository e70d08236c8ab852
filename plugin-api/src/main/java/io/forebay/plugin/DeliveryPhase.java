package io.forebay.plugin;

/** Asked before the head of a response is sent to the client, whatever the response is made of. */
public interface DeliveryPhase extends Handler {

  /** What the client gets differently; {@link FieldEdits#NONE} changes nothing. */
  FieldEdits onDelivery(ClientRequest request, Response response);
}
