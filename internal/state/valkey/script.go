package valkey

import "github.com/valkey-io/valkey-go"

// The Lua scripts. The server stores a principal as two hashes. The first has the fields owner, epoch,
// lost (the time in ms until which its sessions count as incomplete), and how and held, which describe
// the last claim. The second has the encrypted sessions: for each, a list of pieces, and the pieces; and the revision,
// a random name of what the last commit has written. The server stores a replica as a key that
// expires; its value is the encrypted address.

// claimScript returns the owner of a principal, or makes the caller the owner.
//
// KEYS: mark, replica of the caller, principal, grace, wiped, kill, decided
// ARGV: mark, id of the caller, epoch of the caller's last claim, lifetime of a principal in ms,
// prefix of replicas' keys, time in ms that a principal must at least have left
var claimScript = valkey.NewLuaScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {'wiped'} end
if redis.call('EXISTS', KEYS[2]) == 0 then return {'late'} end
local shared = (redis.call('GET', KEYS[7]) or '') .. ' ' .. (redis.call('GET', KEYS[6]) or '')
local at = redis.call('HMGET', KEYS[3], 'owner', 'epoch', 'lost', 'how', 'held')
local owner, epoch, held = at[1], tonumber(at[2] or '0'), tonumber(ARGV[3])
local lost = at[3] or ''
if owner == ARGV[2] and held == epoch then
	if redis.call('PTTL', KEYS[3]) < tonumber(ARGV[6]) then -- else the server writes nothing, and waits for no disk
		redis.call('PEXPIRE', KEYS[3], ARGV[4])
		redis.call('PEXPIRE', KEYS[3] .. ':s', ARGV[4])
	end
	return {'mine', shared, tostring(epoch), lost}
end
local there = owner and owner ~= ARGV[2] and redis.call('GET', ARGV[5] .. owner)
if there and held <= epoch then return {'other', shared, there} end
if not owner and held == 0 and redis.call('EXISTS', KEYS[4]) == 1 then return {'grace', shared} end
if not owner and held == 0 then lost = redis.call('GET', KEYS[5]) or '' end
if there then
	local now = redis.call('TIME')
	lost = string.format('%.0f', now[1] * 1000 + ARGV[4])
end
local how = 'new'
if held > epoch then how = 'kept' end
if owner == ARGV[2] and at[4] == 'kept' and at[5] == ARGV[3] then how = 'kept' end -- its answer did not arrive
epoch = math.max(epoch, held) + 1
redis.call('HSET', KEYS[3], 'owner', ARGV[2], 'epoch', epoch, 'lost', lost, 'how', how, 'held', ARGV[3])
redis.call('PEXPIRE', KEYS[3], ARGV[4])
redis.call('PEXPIRE', KEYS[3] .. ':s', ARGV[4])
return {how, shared, tostring(epoch), lost}
`)

// commitScript writes changes of the sessions of a principal if the caller owns the principal and the server still has
// the revision to which the changes apply. If the caller gives no revision, it replaces all sessions.
//
// KEYS: mark, principal, sessions of the principal
// ARGV: mark, id of the caller, epoch, lifetime in ms, revision or an empty string, the new revision, number of fields
// to remove, these fields, then pairs of field and content
var commitScript = valkey.NewLuaScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 'wiped' end
local at = redis.call('HMGET', KEYS[2], 'owner', 'epoch')
if at[1] ~= ARGV[2] or at[2] ~= ARGV[3] then return 'lost' end
local revision = redis.call('HGET', KEYS[3], 'revision')
if revision == ARGV[6] then return 'ok' end -- the answer to the first attempt did not arrive
if ARGV[5] == '' then
	redis.call('DEL', KEYS[3])
elseif revision ~= ARGV[5] then
	return 'stale'
end
redis.call('HSET', KEYS[3], 'revision', ARGV[6])
local i = 8
for _ = 1, tonumber(ARGV[7]) do
	redis.call('HDEL', KEYS[3], ARGV[i])
	i = i + 1
end
while i < #ARGV do
	redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1])
	i = i + 2
end
redis.call('PEXPIRE', KEYS[2], ARGV[4])
redis.call('PEXPIRE', KEYS[3], ARGV[4])
return 'ok'
`)

// beatScript renews the key of a replica, and detects that the server has lost its data.
//
// KEYS: mark, replica of the caller, grace, wiped, kill, decided
// ARGV: mark that the caller knows, a new mark, encrypted address, lifetime of a replica in ms, grace in ms,
// time in ms for which principals count as incomplete after a loss of all data
var beatScript = valkey.NewLuaScript(`
local mark = redis.call('GET', KEYS[1])
local news = ''
if not mark then
	mark = ARGV[2]
	redis.call('SET', KEYS[1], mark)
	redis.call('SET', KEYS[3], '1', 'PX', ARGV[5])
	news = 'new'
end
if ARGV[1] ~= '' and ARGV[1] ~= mark then
	local now = redis.call('TIME')
	redis.call('SET', KEYS[4], string.format('%.0f', now[1] * 1000 + ARGV[6]), 'PX', ARGV[6])
	news = 'wiped'
end
redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4])
return {mark, news, (redis.call('GET', KEYS[6]) or '') .. ' ' .. (redis.call('GET', KEYS[5]) or '')}
`)

// loseScript marks the sessions of a principal as incomplete, because a replica served it without the store.
//
// KEYS: principal
// ARGV: lifetime in ms
var loseScript = valkey.NewLuaScript(`
local now = redis.call('TIME')
redis.call('HSET', KEYS[1], 'lost', string.format('%.0f', now[1] * 1000 + ARGV[1]))
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[1] .. ':s', ARGV[1]) -- claims ask only for the life of the principal
return 1
`)

// killScript sets the kill switch and increments the number of its changes.
//
// KEYS: kill, count
// ARGV: on or off, name of the person
var killScript = valkey.NewLuaScript(`
local n = redis.call('INCR', KEYS[2])
local at = n .. ' ' .. ARGV[1] .. ' ' .. ARGV[2]
redis.call('SET', KEYS[1], at)
return at
`)

// decideScript stores decisions whose turns follow the last turn.
//
// KEYS: mark, grace, turn, decisions, decided
// ARGV: mark, last turn that the caller knows, a new version, then pairs of field and value
var decideScript = valkey.NewLuaScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {'wiped', '0'} end
if redis.call('EXISTS', KEYS[2]) == 1 then return {'grace', '0'} end
local last, known = tonumber(redis.call('GET', KEYS[3]) or '0'), tonumber(ARGV[2])
if last > known then return {'again', string.format('%.0f', last)} end
if #ARGV == 3 then return {'ok', ARGV[2]} end
local i = 4
while i < #ARGV do
	redis.call('HSET', KEYS[4], ARGV[i], ARGV[i + 1])
	known = known + 1
	i = i + 2
end
local turn = string.format('%.0f', known)
redis.call('SET', KEYS[3], turn)
redis.call('SET', KEYS[5], ARGV[3])
return {'ok', turn}
`)

// decisionsScript returns the version, and then the fields and values of all decisions.
//
// KEYS: decisions, decided
var decisionsScript = valkey.NewLuaScript(`
local all = redis.call('HGETALL', KEYS[1])
table.insert(all, 1, redis.call('GET', KEYS[2]) or '')
return all
`)

// restoreScript stores decisions again that the server has lost.
//
// KEYS: turn, decisions, decided
// ARGV: a new version, then triples of field, turn and value
var restoreScript = valkey.NewLuaScript(`
local last = tonumber(redis.call('GET', KEYS[1]) or '0')
local i = 2
while i < #ARGV do
	local turn = tonumber(ARGV[i + 1])
	local old = redis.call('HGET', KEYS[2], ARGV[i])
	if not old or tonumber(string.match(old, '^%d+')) < turn then redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 2]) end
	last = math.max(last, turn)
	i = i + 3
end
redis.call('SET', KEYS[1], string.format('%.0f', last))
redis.call('SET', KEYS[3], ARGV[1])
return 1
`)
