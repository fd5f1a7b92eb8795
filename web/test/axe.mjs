import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe has against the page as it is. It comes in beside the page's policy, as an inspector does. */
export async function axe(page) {
  const inspector = await page.context().newCDPSession(page)
  const run = async (expression) => {
    const { result, exceptionDetails } = await inspector.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }
  await run(source + ';0')
  const found = await run(`(${violations})()`)
  await inspector.detach()
  return found
}

// violations runs in the page, and returns one line for each element that breaks a rule.
async function violations() {
  const result = await globalThis.axe.run(document, { resultTypes: ['violations'] })
  const line = (rule, node) => {
    const repairs = (node.failureSummary || '').split('\n').slice(1)
    return `${rule.id}: ${node.target.join(' ')} ${repairs.join(' ')}`
  }
  return result.violations.flatMap((rule) => rule.nodes.map((node) => line(rule, node)))
}
