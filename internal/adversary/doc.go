// Package adversary plays hostile MCP servers for testing defences. It contains a catalogue of attacks, and a server
// that plays any of them over stdio or HTTP. Each attack has a benign variant, which looks similar but does no harm.
//
// An [Attack] says what it does, which defences must notice it, and what the server does: its [Act]. The catalogue
// ([Catalogue]) consists of
//
//   - two matrices (matrix.go): every field of a definition (field.go) and every part of a result (place.go), in every
//     disguise (disguise.go);
//   - scenes (scenes/*.yaml), which describe single attacks: shadowing, theft through a tool's arguments, lying
//     annotations, hostile protocol;
//   - plans (versions/*.yaml), which change definitions after they were approved.
//
// To add an attack, add an entry to a scene. To add a disguise, a field or a part of a result, add a line to its
// table. No other code has to change.
//
// The benign variant differs from its attack only in the harm: where the attack hides instructions in tag characters,
// the variant has a flag emoji; where the attack writes them in hex, the variant has a checksum. A defence that stops
// a benign variant raises a false alarm.
//
// Guarantee: nothing is ever sent anywhere. A [Server] only answers requests. Every host in it is reserved for
// examples or is a well-known receiver of test data, and no secret in it is valid.
//
// The server writes its messages itself and imports no other package of this program, because a library that cannot
// send an invalid message cannot play a server that does.
package adversary
