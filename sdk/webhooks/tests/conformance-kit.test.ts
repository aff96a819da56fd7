// Each test proves that the conformance kit of receivers sees what it is for.
import { spawn } from 'node:child_process'
import { createHmac, createPublicKey, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startAdapter } from '../conformance/adapter-process.ts'
import { checks, ExampleReceiver, type Part, type Receiver, type Refused } from '../conformance/example-receiver.ts'
import type { Adapter, Hello } from '../conformance/protocol.ts'
import { claimOf, lineOf } from '../conformance/report.ts'
import { type Level, type Result, tryReceiver } from '../conformance/try-receiver.ts'
import { vectorsFor } from '../conformance/vectors.ts'

const kit = join(import.meta.dirname, '../conformance')
const hello: Hello = { library: 'a receiver', version: '1.0', clock: 'given', codes: true }

/** Takes ten seconds, which no other case does. */
const isSlow = (name: string) => name === 'key set slow'
const quickly = (_level: Level, name: string) => !isSlow(name)
const failed = (results: Result[]) => results.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name)

/** Of the example receiver, in this process. */
function adapterOf(make: (receiver: Receiver) => ExampleReceiver, said: Partial<Hello> = {}): Adapter {
  const receivers = new Map<string, ExampleReceiver>()
  const ask: Adapter['ask'] = async ({ id, now, body, ...receiver }) => {
    const one = receivers.get(receiver.issuer) ?? make(receiver)
    receivers.set(receiver.issuer, one)
    return one.verify(body, now).then(
      () => ({ id, result: 'accepted' as const }),
      ({ code }: Refused) => ({ id, result: 'refused' as const, code }),
    )
  }
  return { hello: { ...hello, ...said }, ask }
}

/** They wait for a key set that is slow, all at the same time. */
describe.concurrent('The whole kit', () => {
  test('The library passes both levels by its adapter', async () => {
    const adapter = await startAdapter([process.execPath, join(import.meta.dirname, 'conformance-adapter.ts')])
    const results = await tryReceiver(adapter)
    adapter.stop()
    expect(failed(results)).toEqual([])
    const { lines, passes } = claimOf(adapter.hello, results, '')
    const count = `${results.length} of ${results.length}`
    expect(lines.at(-1)).toBe(`@signet/webhooks 0.1.0 passes kit 0.1.0, levels verify and key-set: ${count}`)
    expect(passes).toBe(true)
  })

  test.each(['timeout', 'patience'])('A receiver without %s does not pass', async (check) => {
    const adapter = adapterOf((receiver) => new ExampleReceiver(receiver, [check]))
    const isWanted = (_level: Level, name: string) => isSlow(name)
    expect(failed(await tryReceiver(adapter, { isWanted }))).toEqual(['key set slow'])
  })
})

test('The example receiver passes all that is quick, by its adapter', async () => {
  const adapter = await startAdapter([process.execPath, join(kit, 'example-adapter.ts')])
  expect(failed(await tryReceiver(adapter, { isWanted: quickly }))).toEqual([])
  adapter.stop()
})

describe('An adapter that behaves badly', () => {
  const adapterSaying = (script: string) => startAdapter([process.execPath, '--eval', script])
  const greet = `console.log(${JSON.stringify(JSON.stringify(hello))})`

  test('A line without an end is not kept', async () => {
    const endless =
      "process.stdout.on('error', () => process.exit()); setInterval(() => process.stdout.write('x'.repeat(50_000)), 1)"
    await expect(adapterSaying(endless)).rejects.toThrow('the adapter wrote a line of more than 65536 characters')
  })

  test('Nothing is asked any more after a line that nobody asked for', async () => {
    const adapter = await adapterSaying(`${greet}; process.stdin.on('data', () => console.log('\\x1b[2J'))`)
    const question = { id: 1, now: 0, issuer: '', organization_id: '', target_url: '', body: '' }
    for (const _ of [1, 2]) await expect(adapter.ask(question)).rejects.toThrow('that nobody asked for')
  })

  test('One that goes on after the end of its input ends with the runner', { timeout: 60_000 }, async () => {
    const stubborn = `console.log('{}'); setInterval(() => {}, 1_000)`
    const runner = spawn(process.execPath, [join(kit, 'run.ts'), '--', process.execPath, '--eval', stubborn])
    const [status] = await once(runner, 'close')
    expect(status).toBe(2)
  })

  test('What it says is shown in one line, without what controls a terminal', () => {
    const why = 'was \x1b[2J\n\x9b' + 'x'.repeat(1_000)
    expect(lineOf({ level: 'verify', name: 'it', outcome: 'failed', why })).toMatch(
      /^failed +verify +it: was \ufffd\[2J\ufffd{2}x{300,400}$/,
    )
  })
})

describe('A check that is left out is seen', () => {
  const ofKeys = new Set(checks.slice(checks.indexOf('known key')))
  const withSlow = ['timeout', 'patience']

  test.each(checks.filter((check) => !withSlow.includes(check)))(
    'A receiver without %s does not pass',
    async (check) => {
      const adapter = adapterOf((receiver) => new ExampleReceiver(receiver, [check]))
      // The checks of a key are seen by stories too; those of a token by tokens alone.
      const isWanted = (level: Level, name: string) => quickly(level, name) && (ofKeys.has(check) || level === 'verify')
      const results = await tryReceiver(adapter, { isWanted })
      expect(failed(results)).not.toEqual([])
      expect(claimOf(adapter.hello, results, '').lines.at(-1)).toMatch(/^a receiver 1\.0 does not pass kit 0\.1\.0: /)
    },
  )
})

/** What libraries were found to do: they believe what the token says of itself. */
class Believing extends ExampleReceiver {
  private readonly belief: string

  constructor(receiver: Receiver, belief: string) {
    super(receiver, ['algorithm', ...(belief === 'any key' ? ['known key'] : [])])
    this.belief = belief
  }

  protected override async keyFor(header: Part, now: number): Promise<KeyObject> {
    const jwk = this.belief === 'jwk' ? header.jwk : undefined
    const { jku } = header
    if (this.belief === 'jku' && typeof jku === 'string')
      return readKey(((await (await fetch(jku)).json()) as { keys: object[] }).keys[0])
    return jwk ? readKey(jwk) : super.keyFor(header, now)
  }

  protected override isSigned(input: string, signature: Buffer, key: KeyObject, header: Part): boolean {
    if (this.belief === 'alg none' && String(header.alg).toLowerCase() === 'none') return true
    if (this.belief === 'alg HS256' && header.alg === 'HS256')
      return hmacs(key, input).includes(signature.toString('hex'))
    if (this.belief === 'DER' && signature[0] === 0x30 && signature.length > 64) return true
    if (this.belief === 'zeros' && signature.every((byte) => byte === 0)) return true
    return super.isSigned(input, signature, key, header)
  }
}

const readKey = (jwk: unknown) => createPublicKey({ key: jwk as never, format: 'jwk' })

/** With what a library takes for the secret when it is given a public key. */
function hmacs(key: KeyObject, input: string): string[] {
  const pem = key.export({ type: 'spki', format: 'pem' })
  return [pem, ''].map((secret) => createHmac('sha256', secret).update(input).digest('hex'))
}

describe('A receiver that believes the token is seen, also where it has no codes', () => {
  test.each([
    ['alg none', 'alg none'],
    ['alg HS256', 'HS256, public key as PEM'],
    ['jwk', 'key in the header'],
    ['jku', 'key set in the header'],
    ['DER', 'signature in DER'],
    ['zeros', 'signature of zeros'],
    ['any key', 'unknown kid, known key'],
  ])('A receiver that believes %s does not pass', async (belief, name) => {
    const adapter = adapterOf((receiver) => new Believing(receiver, belief), { codes: false })
    const results = await tryReceiver(adapter, { isWanted: (level) => level === 'verify' })
    expect(failed(results)).toContain(name)
  })
})

describe('The runner', () => {
  test('Stories that need a clock are left out for a receiver with its own, which may claim to verify', async () => {
    const own = (receiver: Receiver) => new ExampleReceiver(receiver)
    const adapter = adapterOf(own, { clock: 'own', codes: false })
    const results = await tryReceiver(adapter, {
      isWanted: (_level, name) => /^key (changed|withdrawn)|^good$|^last second$/.test(name),
    })
    expect(failed(results)).toEqual([])
    expect(results.filter(({ outcome }) => outcome === 'left out').map(({ name }) => name)).toContain('key withdrawn')
    expect(claimOf(adapter.hello, results, '').lines.at(-1)).toContain('passes kit 0.1.0, level verify: ')
  })

  test('A refusal for a time counts only where there are no keys', async () => {
    const adapter = adapterOf((receiver) => new ExampleReceiver(receiver), { codes: false })
    const { ask } = adapter
    adapter.ask = async (question) => ({ ...(await ask(question)), temporary: true })
    const results = await tryReceiver(adapter, {
      isWanted: (_level, name) => /^(expired|key set comes up)$/.test(name),
    })
    expect(results.map(({ name, why }) => [name, why])).toEqual([
      ['expired', 'was refused for a time, must be refused for good'],
      ['key set comes up', ''],
    ])
  })

  test.each([
    ['ends', 'process.exit(3)', 'the adapter has ended with 3'],
    ['greets with something else', 'console.log("hello")', 'the first line of the adapter must have library'],
  ])('An adapter that %s is refused with the reason', async (_what, code, message) => {
    await expect(startAdapter([process.execPath, '-e', code])).rejects.toThrow(message)
  })

  test('An adapter that ends amid its work fails each further case', async () => {
    const code = `console.log('${JSON.stringify(hello)}'); process.stdin.once('data', () => process.exit(4))`
    const results = await tryReceiver(await startAdapter([process.execPath, '-e', code]), { isWanted: quickly })
    expect(results.every(({ outcome, why }) => outcome === 'failed' && /the adapter has ended with 4/.test(why))).toBe(
      true,
    )
  })
})

test('A receiver does not outlive the adapter that runs it, though that fails', async () => {
  const port = await new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      resolve((server.address() as AddressInfo).port)
      server.close()
    })
  })
  const rude = `require('net').createServer((socket) => socket.once('data', () => socket.destroy())).listen(${port}, '127.0.0.1')`
  const own = `${rude}; require('fs').writeFileSync(process.env.STATE + '/../' + process.env.NOTE, String(process.pid))`
  const url = `http://127.0.0.1:${port}/`
  const command = [join(kit, 'http-adapter.ts'), '--library', 'rude', '--version', '1', '--url', url, '--']
  const note = `signet-receiver-${process.pid}.pid`
  const adapter = spawn(process.execPath, [...command, process.execPath, '--eval', own], { env: { NOTE: note } })
  adapter.stdin.write(`${JSON.stringify({ id: 1, issuer: 'https://a.example', organization_id: 'x', body: 'x' })}\n`)
  const [status] = await once(adapter, 'close')
  expect(status).not.toBe(0)
  const pid = Number(readFileSync(join(tmpdir(), note), 'utf8'))
  rmSync(join(tmpdir(), note))
  await expect.poll(() => isAlive(pid)).toBe(false)
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('The data of the kit are those of its sources', () => {
  const data = JSON.parse(readFileSync(join(kit, 'vectors.json'), 'utf8'))
  const made = JSON.parse(JSON.stringify(vectorsFor({ now: data.now, receiver: data.receiver })))
  // Signatures over the same bytes differ each time.
  const unsigned = (key: string, value: unknown) =>
    key === 'body' && typeof value === 'string'
      ? value
          .split('.', 2)
          .join('.')
          .replace(/"signature":.*/, '')
      : value
  const textOf = (part: unknown) => JSON.stringify(part, unsigned)
  expect(data.tokens.map(textOf)).toEqual(made.tokens.map(textOf))
  expect(data.stories.map(textOf)).toEqual(made.stories.map(textOf))
  expect({ ...data, tokens: [], stories: [] }).toEqual({ ...made, tokens: [], stories: [] })
})
