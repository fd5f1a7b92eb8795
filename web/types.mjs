// Writes src/lib/api.types.ts from openapi.json: the types of what the API takes and answers. Examples and failures
// are left out: they would more than double the file.
import { readFileSync, writeFileSync } from 'node:fs'
import openapi, { astToString } from 'openapi-typescript'

const at = (name) => new URL(name, import.meta.url)
const document = JSON.parse(readFileSync(at('openapi.json'), 'utf8'))
for (const operation of Object.values(document.paths).flatMap(Object.values)) {
  for (const parameter of operation.parameters ?? []) delete parameter.example
  for (const [status, response] of Object.entries(operation.responses)) {
    if (+status >= 400) delete operation.responses[status]
    for (const media of Object.values(response.content ?? {})) delete media.example
  }
}
const types = astToString(await openapi(document, { defaultNonNullable: false, emptyObjectsUnknown: true }))
const head = '// Generated from openapi.json by types.mjs; make page makes it anew. Do not edit.\n\n'
writeFileSync(at('src/lib/api.types.ts'), head + types)
