import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import type { Life } from '../support/program.ts'
import { commandsOf, makeClone, openTerminal, type Terminal } from './guide.ts'

const cleaning: (() => void)[] = []
const life: Life = { onTestFinished: (clean) => void cleaning.unshift(clean) }
const isOfStart = (commands: string) => commands.includes('npm start')

let clone: string
let replaced: Record<string, number>
/** All guides are tried on one Signet, in one folder, which has the certificate of a receiver. */
let environment: Record<string, string>

beforeAll(async () => {
  const [port, receiverPort] = [await freePort(), await freePort()]
  replaced = { 8080: port, 9443: receiverPort, 3000: await freePort() }
  const SIGNET_URL = `http://localhost:${port}`
  environment = { PORT: `${port}`, SIGNET_URL, TARGET_URL: `https://receiver.test:${receiverPort}/hook` }
  clone = makeClone(life)
  const first = openTerminal(life, clone, environment)
  const [start = ''] = commandsOf('polling-to-webhooks.md', replaced).filter(isOfStart)
  void first.paste(start).catch(() => {})
  await first.says(/^Ready/m)
})

afterAll(() => {
  for (const clean of cleaning) clean()
})

/** The commands of a guide in its second terminal. */
function follow(guide: string): { terminal: Terminal; commands: string[] } {
  const commands = commandsOf(guide, replaced).filter((block) => !isOfStart(block))
  return { terminal: openTerminal(life, clone, environment), commands }
}

test('The guide from polling to webhooks brings each event to the poller until the mark, and then to the webhook', async () => {
  const { terminal, commands } = follow('polling-to-webhooks.md')
  const [settings, poll, receiver, webhook, mark, last] = commands as [string, string, string, string, string, string]
  await terminal.paste(settings)
  expect(await terminal.paste(poll)).toContain('PersonCreated_v1')
  await terminal.paste(receiver)
  await terminal.says(/^Listening/m)
  await terminal.paste(webhook)
  await terminal.paste(mark)
  expect(await terminal.paste('sort data/polled | uniq -d')).toBe('pasted 6\n')
  const [polled = ''] = (await terminal.paste('grep -c . data/polled')).split('\n')
  expect(Number(polled)).toBeGreaterThanOrEqual(2)
  await terminal.paste(last)
  await terminal.says(/Verified: PersonCreated_v1[\s\S]*"is_test_event": false/)
  await terminal.paste('kill $!')
})

test('The guide to a warehouse stores each event once, also over a kill, with a key that can only read events', async () => {
  const { terminal, commands } = follow('event-feed-to-warehouse.md')
  const [settings, start, cause, look, again] = commands as [string, string, string, string, string]
  await terminal.paste(settings)
  await terminal.paste(start)
  await terminal.says(/^Caught up/m)
  await terminal.paste(cause)
  await expect.poll(() => terminal.paste(look)).toMatch(/PersonDeleted_v1', events: 1/)
  const before = Number(/PersonCreated_v1', events: (\d+)/.exec(await terminal.paste(look))?.[1])
  await terminal.paste(again)
  await terminal.says(/^Caught up/m)
  expect(await terminal.paste(look)).toContain(`PersonCreated_v1', events: ${before + 1}`)
  const forbidden =
    'curl -sS -o /dev/null -w "%{http_code}" -H "Service-OrgID: $SIGNET_ORGANIZATION_ID" -H "Service-API-Key: $SIGNET_API_KEY"'
  expect(await terminal.paste(`${forbidden} $SIGNET_URL/persons; echo`)).toContain('403')
  await terminal.paste('kill $!')
})

test('The guide to a webhook on this machine brings a test event, verified, to a receiver without TLS', async () => {
  const { terminal, commands } = follow('receive-a-webhook-locally.md')
  const [receiver, listen, trigger] = commands as [string, string, string]
  await terminal.paste(receiver)
  await terminal.says(/^Listening/m)
  await terminal.paste(listen)
  await terminal.says(/^Connected/m)
  await terminal.paste(trigger)
  await terminal.says(/Verified: PersonCreated_v1[\s\S]*"is_test_event": true/)
  await terminal.says(/^PersonCreated_v1 +204/m)
  await terminal.paste('kill $(jobs -p)')
})
