// Package adversary plays hostile MCP servers, so that defences can be tried
// against them: a catalogue of attacks, each with a benign twin that looks alike
// and means no harm, and a server that plays any of them over stdio or HTTP.
//
// An [Attack] says what it does, who must notice it, and what is served: its
// [Act]. The catalogue ([Catalogue]) is made from
//
//   - two matrices (matrix.go): every field of a definition (field.go) and every
//     place of a result (place.go), in every disguise (disguise.go);
//   - scenes (scenes/*.yaml), attacks that are told one by one: shadowing, theft
//     through a tool's arguments, lying annotations, hostile protocol;
//   - plans (versions/*.yaml), definitions that change after they were approved.
//
// To add an attack, add an entry to a scene; to add a disguise, a field or a
// place, add a line to its table. No code elsewhere needs to know.
//
// A twin differs from its attack in the harm alone: an honest flag emoji where
// the attack writes orders in tag characters, a checksum where it writes them in
// hex. Whoever stops a twin has a false alarm.
//
// The room's guarantee: nothing is ever sent anywhere. A [Server] answers what it
// is asked and does nothing else; every host it names is reserved for examples
// or a well-known catcher of test data, and every secret opens nothing.
//
// The server writes its own bytes and knows none of this program's other rooms:
// a library that cannot send a broken message cannot play one that does.
package adversary
