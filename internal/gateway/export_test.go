package gateway

// BodiesWaiting is [Bodies] for requests that wait a given time for memory.
var BodiesWaiting = bodies
