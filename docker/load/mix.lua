-- Requests over the trees of docker/origin. MIX gives each tree's share in hundredths, "small:80,page:18,channel:2", and
-- OBJECTS how many objects each has. Within a tree the i-th object is asked for about 1/i as often as the first, as on a
-- real site. With RATE all connections together ask about so often a second.
local channels = 20 -- segments of the tree "channel" are spread over so many
local wheel = {} -- one entry a hundredth
local ladder = {} -- tree -> cumulated weights
local lines = {} -- tree -> ready-made requests
local pause = 0 -- mean time between two requests of a connection, in ms

local function path(name, number)
   if name == "channel" then
      return "/channel/" .. number % channels .. "/" .. math.floor(number / channels)
   end
   return "/" .. name .. "/" .. number
end

function init(args)
   math.randomseed(os.time() + tonumber(tostring({}):match("0x(%x+)"), 16) % 1000003)
   local count = {}
   for name, number in (os.getenv("OBJECTS") or "small:500"):gmatch("(%a+):(%d+)") do
      count[name] = tonumber(number)
   end
   for name, share in (os.getenv("MIX") or "small:100"):gmatch("(%a+):(%d+)") do
      if not count[name] then error("OBJECTS does not say how many there are of: " .. name) end
      for _ = 1, tonumber(share) do wheel[#wheel + 1] = name end
      local sum = 0
      ladder[name], lines[name] = {}, {}
      for i = 1, count[name] do
         sum = sum + 1 / i
         ladder[name][i] = sum
         lines[name][i] = wrk.format("GET", path(name, i - 1))
      end
   end
   if #wheel == 0 then error("MIX is empty") end
   local rate = tonumber(os.getenv("RATE") or 0)
   if rate > 0 then pause = 1000 * tonumber(os.getenv("CONNECTIONS")) / rate end
end

function request()
   local name = wheel[math.random(#wheel)]
   local steps = ladder[name]
   local at = math.random() * steps[#steps]
   local low, high = 1, #steps
   while low < high do
      local middle = math.floor((low + high) / 2)
      if steps[middle] < at then low = middle + 1 else high = middle end
   end
   return lines[name][low]
end

if tonumber(os.getenv("RATE") or 0) > 0 then
   function delay()
      return math.random() * 2 * pause
   end
end
