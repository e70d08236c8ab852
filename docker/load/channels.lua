-- Viewers of twenty live channels of the lab's ladder: each request is for one of the two newest segments of a channel.
-- With RATE all connections together ask about so often a second.
local channels = 20
local seconds = 6 -- of a segment; as the origin's --segment-seconds
local rungs = {
   "variant01/hls-audio/384KB/%d.ts",
   "variant02/hls-video/4096KB/%d.ts",
   "variant03/dash-medium-video/512KB/%d.m4s",
   "variant04/dash-medium-video/1024KB/%d.m4s",
   "variant05/dash-medium-video/512KB/%d.m4s",
   "variant06/dash-medium-audio/72KB/%d.m4s",
   "variant07/dash-high-audio/256KB/%d.m4s",
   "variant08/dash-high-video/4096KB/%d.m4s",
   "variant09/dash-high-video/2048KB/%d.m4s",
   "variant10/dash-high-video/1024KB/%d.m4s",
   "variant11/dash-4k-video/12000KB/%d.m4s",
}
local pause = 0 -- mean time between two requests of a connection, in ms

function init(args)
   math.randomseed(os.time() + tonumber(tostring({}):match("0x(%x+)"), 16) % 1000003)
   local rate = tonumber(os.getenv("RATE") or 0)
   if rate > 0 then pause = 1000 * tonumber(os.getenv("CONNECTIONS")) / rate end
end

function request()
   -- The newest whole segment; clocks of one machine agree, so a second is enough.
   local newest = math.floor((os.time() - 1) / seconds) - 1
   local rung = string.format(rungs[math.random(#rungs)], newest - math.random(0, 1))
   return wrk.format("GET", string.format("/channel-%02d/%s", math.random(channels), rung))
end

if tonumber(os.getenv("RATE") or 0) > 0 then
   function delay()
      return math.random() * 2 * pause
   end
end
