import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { type Life, processesOn, repository, run, temporaryFolder } from '../support/program.ts'

const timeoutMs = 150_000

describe('npm run dev', { timeout: timeoutMs }, () => {
  test('The command shows the first event, lets a second terminal call, and is gone after Ctrl-C', async (context) => {
    const { dev, data } = await startDev(context)
    await dev.says(/Verified: PersonCreated_v1\n(.*\n)*.*"is_test_event": true/)
    await dev.says(/Stop with Ctrl-C\.\n$/)
    const [, url = ''] = /SIGNET_URL='(.*)'/.exec(readFileSync(join(data, 'environment'), 'utf8')) ?? []
    expect(await webhooksOf(url, data)).toMatchObject([{ name: 'npm run dev' }])
    for (const _ of [1, 2]) process.kill(dev.pid, 'SIGINT')
    expect(await dev.ended).toBe(0)
    expect(dev.output()).toMatch(/\nStopped\. .*\n$/)
    expect(dev.output()).not.toContain('\x1b[')
    expect(processesOn(data)).toEqual([])
    expect([existsSync(join(data, 'environment')), existsSync(join(data, 'headers'))]).toEqual([false, false])
  })
})

async function startDev(life: Life, data = join(temporaryFolder(life), 'data')) {
  const env = { PORT: `${await freePort()}`, SIGNET_DATA_DIR: data }
  return { data, dev: run(life, [process.execPath, join(repository, 'scripts/dev.ts')], env) }
}

async function webhooksOf(url: string, data: string) {
  const lines = readFileSync(join(data, 'headers'), 'utf8').trim().split('\n')
  const headers = lines.map((line) => line.split(': ') as [string, string])
  const answer = await fetch(`${url}/organizations/webhooks`, { headers })
  return ((await answer.json()) as { result: unknown[] }).result
}
