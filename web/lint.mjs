// Fails when a line of the page's source or of its tests has 120 columns or more, and when a type is any: answers
// of the API have the types of src/lib/api.types.ts.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const limit = 120
const any = /(?::|<|\bas|\||&|=>) ?any\b(?! \w)/
const generated = join('src', 'lib', 'api.types.ts')

const folder = import.meta.dirname
const names = ['src', 'test'].flatMap((part) =>
  readdirSync(join(folder, part), { recursive: true }).map((name) => join(part, name)),
)
const sources = [...names, ...readdirSync(folder)].filter(
  (name) => /\.(ts|mjs|js|svelte|css|html)$/.test(name) && name !== generated,
)
if (sources.length < 40) throw new Error(`only ${sources.length} files were read`)

let problems = 0
const report = (what) => {
  console.error(what)
  problems++
}
for (const name of sources) {
  const lines = readFileSync(join(folder, name), 'utf8').split('\n')
  lines.forEach((line, i) => {
    const at = `${name}:${i + 1}`
    const columns = [...line].length
    if (columns >= limit) report(`${at}: ${columns} columns; a line must have fewer than ${limit}`)
    if (/\.(ts|svelte)$/.test(name) && any.test(line))
      report(`${at}: the type any; name the type, or take unknown`)
  })
}
process.exit(problems ? 1 : 0)
