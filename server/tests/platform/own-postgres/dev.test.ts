import { once } from 'node:events'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { freePort } from '../../../../scripts/free-port.ts'
import { kill, type Life, processesOn, repository, run, temporaryFolder } from '../../support/program.ts'

const timeoutMs = 150_000

describe('npm run dev', { timeout: timeoutMs }, () => {
  test('The command shows the first event, lets a second terminal call, and only its files stay after Ctrl-C', async (context) => {
    const { dev, data } = await startDev(context)
    await dev.says(/Verified: PersonCreated_v1\n(.*\n)*.*"is_test_event": true/)
    await dev.says(/Stop with Ctrl-C\.\n$/)
    const client = clientOf(data)
    expect(await call(client, 'GET', '')).toMatchObject([{ name: 'npm run dev' }])
    for (const _ of [1, 2]) process.kill(dev.pid, 'SIGINT')
    expect(await dev.ended).toBe(0)
    expect(dev.output()).toMatch(/\nStopped\. .*\n$/)
    expect(dev.output()).not.toContain('\x1b[')
    expect(processesOn(data)).toEqual([])
    for (const name of ['environment', 'headers']) expect(statSync(join(data, name)).mode & 0o777).toBe(0o600)
  })

  test('The receiver of the command answers a hook, and a receiver that was set before is reached as well', async (context) => {
    const port = await freePort()
    const { dev, data } = await startDev(context, { SIGNET_WEBHOOK_RESOLVE: `own.test:${port}:127.0.0.1` })
    const [, id = ''] = await dev.says(/webhooks\/(\S+)\/dry-run$/m)
    const client = clientOf(data)
    expect(await call(client, 'POST', `/${id}/dry-run`)).toMatchObject({ claims: { plan: 'internal' } })
    const own = await call(client, 'POST', '', { target_url: `https://own.test:${port}/hook`, name: 'Own' })
    await call(client, 'POST', `/${own.id}/triggers`, { trigger_type: 'sync_hook', trigger_name: 'token_minted' })
    const [attempt] = (await call(client, 'POST', `/${own.id}/dry-run`)).attempts
    // Nothing listens there: without the setting, the name would not have been found.
    expect(attempt).toMatchObject({ error: 'connection_refused' })
  })

  test('A program that has the port already gets no request, which would have the API key of the data folder', async (context) => {
    const data = join(temporaryFolder(context), 'data')
    mkdirSync(data)
    writeFileSync(join(data, 'headers'), 'Service-OrgID: of before\nService-API-Key: of before\n')
    const requests: string[] = []
    const other = createServer(({ url = '' }, answer) => {
      requests.push(url)
      answer.end('{ "result": [] }')
    })
    const port = await freePort()
    await once(other.listen(port, 'localhost'), 'listening')
    context.onTestFinished(() => void other.close())
    const { dev } = await startDev(context, { PORT: `${port}`, SIGNET_DATA_DIR: data })
    expect(await dev.ended).toBe(1)
    expect(dev.output()).toContain(`PORT: ${port} is taken by another program`)
    expect(requests).toEqual([])
  })
})

async function startDev(life: Life, settings: Record<string, string> = {}) {
  const data = join(temporaryFolder(life), 'data')
  const env = { PORT: `${await freePort()}`, SIGNET_DATA_DIR: data, ...settings }
  const dev = run(life, [process.execPath, join(repository, 'scripts/dev.ts')], env)
  // What it has started runs in groups of its own, and ends with it only where it can stop them.
  life.onTestFinished(async () => {
    kill(dev.pid, 'SIGINT')
    await dev.ended
  })
  return { data, dev }
}

type Client = { url: string; headers: [string, string][] }

/** What the files in the data folder give a shell. */
function clientOf(data: string): Client {
  const [, url = ''] = /SIGNET_URL=(.*)/.exec(readFileSync(join(data, 'environment'), 'utf8')) ?? []
  const lines = readFileSync(join(data, 'headers'), 'utf8').trim().split('\n')
  return { url, headers: lines.map((line) => line.split(': ') as [string, string]) }
}

// biome-ignore lint/suspicious/noExplicitAny: the result is whatever is asked for
async function call({ url, headers }: Client, method: string, path: string, body?: unknown): Promise<any> {
  const answer = await fetch(`${url}/organizations/webhooks${path}`, { method, headers, body: JSON.stringify(body) })
  expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true)
  return ((await answer.json()) as { result: unknown }).result
}
