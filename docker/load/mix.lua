-- Requests over the trees of docker/origin/start.sh. MIX gives each tree's share in hundredths,
-- "small:80,page:18,segment:2". Within a tree the i-th object is asked for about 1/i as often as the
-- first, as on a real site.
local count = { small = 500, page = 100, segment = 16 }
local wheel = {} -- one entry a hundredth
local ladder = {} -- tree -> cumulated weights
local lines = {} -- tree -> ready-made requests

function init(args)
   math.randomseed(os.time() + tonumber(tostring({}):match("0x(%x+)"), 16) % 1000003)
   for name, share in (os.getenv("MIX") or "small:100"):gmatch("(%a+):(%d+)") do
      if not count[name] then error("MIX names no tree of the origin: " .. name) end
      for _ = 1, tonumber(share) do wheel[#wheel + 1] = name end
      local sum = 0
      ladder[name], lines[name] = {}, {}
      for i = 1, count[name] do
         sum = sum + 1 / i
         ladder[name][i] = sum
         lines[name][i] = wrk.format("GET", "/" .. name .. "/" .. (i - 1))
      end
   end
   if #wheel == 0 then error("MIX is empty") end
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
