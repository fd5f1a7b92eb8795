package bundle

const systemFile = `C:\ProgramData\mcpproxy\managed.json`
