// `npm run bench:verification`: how many webhooks a second `verifyWebhook` of sdk/webhooks verifies in one process, and how
// many bare jose does, which checks the signature, the expiry, the audience and the issuer with the same key.

import { verifyWebhook } from '@signet/webhooks'
import { createTestSender, type TestSender } from '@signet/webhooks/testing'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { figureOf, percent, show, table } from './support/figures.ts'
import { orQuick } from './support/quick.ts'
import { describeMachine, report } from './support/report.ts'

const rounds = orQuick(30, 2)
const roundMs = orQuick(750, 100)
const warmUpMs = orQuick(3_000, 100)
const callers = 16
const target = 0.9

const method = `${rounds} rounds of ${roundMs} ms by turns after a warm-up, ${callers} callers at once in one process, a webhook of PersonDeleted_v1;
medians (least–most). The shares are taken round by round. CPU is in µs a verification, of all threads.`

type Verify = (jwt: string) => Promise<unknown>
/** Verifications a second, and µs of CPU for each. */
type Pace = { rate: number; cpu: number }
type Round = { bare: Pace; library: Pace }

const receiver = {
  issuer: 'https://signet.example.com',
  organizationId: '019ab3c5-8e00-7000-8000-000000000001',
  targetUrl: 'https://hooks.example.com/signet',
}

const contenders = (sender: TestSender): Record<keyof Round, Verify> => {
  const keySet = createLocalJWKSet(sender.published)
  const rules = { algorithms: ['ES256'], issuer: receiver.issuer, audience: receiver.organizationId }
  return {
    bare: (jwt) => jwtVerify(jwt, keySet, rules),
    library: (jwt) => verifyWebhook(jwt, { ...receiver, keySet: sender.keySet }),
  }
}

const webhookOf = (sender: TestSender) =>
  sender.sign('PersonDeleted_v1', {
    person_id: crypto.randomUUID(),
    region: 'local',
    handles: [{ type: 0, value: 'jo@example.com' }],
    groups: ['staff', 'admins'],
  })

async function paceOf(verify: Verify, jwt: string, ms: number): Promise<Pace> {
  const [began, cpuBefore] = [performance.now(), process.cpuUsage()]
  let done = 0
  const work = async () => {
    for (; performance.now() < began + ms; done++) await verify(jwt)
  }
  await Promise.all(Array.from({ length: callers }, work))
  const { user, system } = process.cpuUsage(cpuBefore)
  return { rate: done / ((performance.now() - began) / 1_000), cpu: (user + system) / done }
}

/** Who goes first takes turns, too. */
async function runRound({ bare, library }: Record<keyof Round, Verify>, jwt: string, number: number): Promise<Round> {
  const first = await paceOf(number % 2 ? bare : library, jwt, roundMs)
  const second = await paceOf(number % 2 ? library : bare, jwt, roundMs)
  return number % 2 ? { bare: first, library: second } : { bare: second, library: first }
}

const machine = describeMachine()
const sender = await createTestSender(receiver)
const verifiers = contenders(sender)
const jwt = await webhookOf(sender)
for (const verify of Object.values(verifiers)) await paceOf(verify, jwt, warmUpMs)
const done: Round[] = []
while (done.length < rounds) done.push(await runRound(verifiers, jwt, done.length))

const share = figureOf(done.map(({ bare, library }) => library.rate / bare.rate))
const cpuShare = figureOf(done.map(({ bare, library }) => library.cpu / bare.cpu))
const cells = (name: keyof Round) => {
  const [rate, cpu] = [figureOf(done.map((round) => round[name].rate)), figureOf(done.map((round) => round[name].cpu))]
  return [show(rate), show(cpu)]
}
const [bareRate = '', bareCpu = ''] = cells('bare')
const [libraryRate = '', libraryCpu = ''] = cells('library')
const rows = table([
  ['', 'verifications/s', 'of bare jose', 'CPU', 'of bare jose'],
  ['bare jose', bareRate, '', bareCpu, ''],
  ['verifyWebhook', libraryRate, show(share, percent), libraryCpu, show(cpuShare, percent)],
])
const verdict = `\`verifyWebhook\` reaches ${percent(share.median)} of bare jose; the target is ${percent(target)} or more: ${share.median >= target ? 'met' : 'NOT met'}.`
report('verification', machine, method, rows, verdict)
