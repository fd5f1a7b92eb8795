import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe has against the page as it is. It comes in beside the page's policy, as an inspector does. */
export async function axe(page) {
  const inspector = await page.context().newCDPSession(page)
  const run = async (expression) => {
    const { result, exceptionDetails } = await inspector.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }
  await run(source + ';0')
  const found = await run(`axe.run(document, { resultTypes: ['violations'] }).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ': ' + n.target.join(' ') + ' ' + (n.failureSummary || '').split('\\n').slice(1).join(' '))))`)
  await inspector.detach()
  return found
}
