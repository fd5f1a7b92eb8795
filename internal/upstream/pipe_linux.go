package upstream

// pipeBuf is how many bytes a pipe takes whole or not at all (POSIX, PIPE_BUF).
const pipeBuf = 4096
