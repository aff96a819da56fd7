// The adapter of this library for the conformance kit: node conformance/run.ts -- node tests/conformance-adapter.ts

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createKeySet, type KeySet, verifyWebhook, type WebhookError } from '@signet/webhooks'

type Question = { id: number; now: number; issuer: string; organization_id: string; target_url: string; body: string }

const { name: library, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
/** By issuer: each case that begins without keys has its own. */
const keySets = new Map<string, KeySet>()
const clock = { seconds: 0 }
const now = () => clock.seconds * 1_000

console.log(JSON.stringify({ library, version, clock: 'given', codes: true }))
createInterface({ input: process.stdin }).on('line', async (line) => {
  const question: Question = JSON.parse(line)
  console.log(JSON.stringify({ id: question.id, ...(await answerTo(question)) }))
})

async function answerTo({ now: seconds, issuer, organization_id: organizationId, target_url, body }: Question) {
  clock.seconds = seconds
  const keySet = keySets.get(issuer) ?? createKeySet({ issuer, organizationId, now })
  keySets.set(issuer, keySet)
  try {
    await verifyWebhook(body, { issuer, organizationId, targetUrl: target_url, keySet, now })
    return { result: 'accepted' }
  } catch (error) {
    return { result: 'refused', code: (error as WebhookError).code }
  }
}
