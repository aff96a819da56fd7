import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linesOf, runCommand, settingsOf, startCommand } from '../support/command-line.ts'
import { type Life, repository } from '../support/program.ts'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'

let signet: OwnSignet
let organization: Organization

beforeAll(async () => {
  signet = await startOwnSignet()
  organization = await signet.organization()
})

afterAll(() => signet?.stop())

const signetOf = (life: Life, args: string[], settings = settingsOf(signet, organization)) =>
  runCommand(life, args, settings)

describe.concurrent('The command line', () => {
  test('Test events are published with overrides, and the feed shows them in order', async (context) => {
    const published = await signetOf(context, [
      'trigger',
      'PersonDeleted',
      '--set',
      'region=eu',
      '--count',
      '2',
      '--json',
    ])
    expect(published.code).toBe(0)
    const ids = linesOf(published.output).map(({ event_id }) => event_id)
    const args = ['events', '--no-follow', '--events', 'PersonDeleted*', '--since', '1h', '--json']
    const events = linesOf((await signetOf(context, args)).output)
    expect(events.map(({ event_id }) => event_id)).toEqual(ids)
    expect(events[0]).toMatchObject({ type: 'event', event_name: 'PersonDeleted_v1', event: { region: 'eu' } })
  })

  test('Without a time events begins with what comes next, and with --after behind that place', async (context) => {
    const own = await signet.organization()
    const publish = async () => {
      const { body } = await signet.as(own, 'POST', '/test-events', [{ event_name: 'PersonCreated' }])
      return body.result[0].event_id
    }
    const old = await publish()
    const program = startCommand(context, ['events', '--limit', '1', '--json'], settingsOf(signet, own))
    let isOver = false
    void program.ended.then(() => (isOver = true))
    const later = [await publish()]
    for (; !isOver; await wait(100)) later.push(await publish())
    const [first] = linesOf(program.output())
    expect(later).toContain(first.event_id)
    expect(first.event_id).not.toBe(old)
    const args = ['events', '--after', first.cursor, '--no-follow', '--json']
    const behind = linesOf((await signetOf(context, args, settingsOf(signet, own))).output)
    expect(behind.map(({ event_id }) => event_id)).toEqual(later.slice(later.indexOf(first.event_id) + 1))
  })

  test.for([
    ['a command line that is wrong', ['events', '--limit', '0'], {}, 2, /--limit/],
    ['a time and a place together', ['events', '--since', '1h', '--after', 'x'], {}, 2, /--since .*--after/],
    ['a missing key', ['trigger', 'PersonCreated'], { SIGNET_API_KEY: '' }, 2, /^API key: is required for .*\n$/],
    ['keys without a key, which need none', ['keys'], { SIGNET_API_KEY: '' }, 0, /ES256/],
    ['a key that is not valid', ['trigger', 'PersonCreated'], { SIGNET_API_KEY: 'signet_secret' }, 3, /is not valid/],
    [
      'a key that no header can hold, without showing it',
      ['listen', '--forward-to', 'http://localhost:9/hook'],
      { SIGNET_API_KEY: 'signet_secret\ndef' },
      2,
      /^SIGNET_API_KEY: must be printable ASCII without blanks\n$/,
    ],
    [
      'a password in the address, without showing it',
      ['keys'],
      { SIGNET_URL: 'http://:signet_secret@localhost' },
      2,
      /^SIGNET_URL: must be .* without user, password.*\n$/,
    ],
    ['an organization that is none', ['keys', '--organization', 'xx'], {}, 2, /^--organization: must be the ID/],
    [
      'a page of the service in place of its address',
      ['trigger', 'PersonCreated'],
      { SIGNET_URL: '/docs' },
      1,
      /--url/,
    ],
    ['an empty folder for a backup', ['backup', ''], {}, 2, /^<folder>: must not be empty\n$/],
    ['a folder where none can be made', ['backup', '/proc/none/x'], {}, 1, /./],
    ['an empty list of events', ['events', '--events', ''], {}, 2, /--events/],
    ['a service that does not answer', ['keys'], { SIGNET_URL: 'http://localhost:9' }, 4, /--url/],
    ['an event that there is not', ['trigger', 'Nothing'], {}, 2, /^event_name: must be one of .*\n$/],
    ['several of it, once', ['trigger', 'Nothing', '--count', '3'], {}, 2, /^event_name: must be one of .*\n$/],
    ['a field that an event has not', ['trigger', 'PersonCreated', '--set', 'x=1'], {}, 2, /^x: is not a field of/],
    ['a value that a field does not take', ['trigger', 'PersonCreated', '--set', 'region=1'], {}, 2, /^region: /],
    ['a file that is no YAML', ['apply', '-f', 'server/src/signet.ts', '--yes'], {}, 2, /^server\/src\/signet\.ts:/],
    ['a file that is not there', ['apply', '-f', '/nonexistent.yaml'], {}, 2, /^--file: cannot be read/],
    [
      'a folder that is no backup',
      ['restore', '/tmp'],
      { SIGNET_DATA_DIR: '/tmp/none-yet' },
      2,
      /is no complete backup/,
    ],
    ['a move without a passphrase', ['move', 'in', '/nonexistent'], {}, 2, /SIGNET_MOVE_PASSPHRASE: is required/],
  ] as const)('The exit code tells %s', async ([, args, environment, code, message], context) => {
    const ended = await signetOf(context, [...args], {
      ...settingsOf(signet, organization),
      ...environment,
      ...('SIGNET_URL' in environment &&
        environment.SIGNET_URL === '/docs' && { SIGNET_URL: `${signet.baseUrl}/docs` }),
    })
    expect(ended.output).toMatch(message)
    expect(ended.output).not.toMatch(/signet_secret|^\s+at /m)
    expect(ended.code).toBe(code)
  })

  test('With --json a command line that is wrong is a record on standard output', async (context) => {
    const { code, output } = await signetOf(context, ['events', '--limit', '0', '--json'])
    expect(linesOf(output)).toEqual([{ type: 'error', message: expect.stringContaining('--limit'), exit_code: 2 }])
    expect(code).toBe(2)
  })

  test('What others wrote moves no cursor and turns no line, in a check and in an error', async (context) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const token = `${part({ alg: 'ES256', kid: '\u202e\u009b31m' })}.${part({ iss: '\u001b]0;x\u0007\u202e' })}.AAAA`
    const { output } = await signetOf(context, ['verify', token], {
      ...settingsOf(signet, organization),
      FORCE_COLOR: '1',
    })
    expect(output).toContain('\\u202e\\u009b31m')
    expect(output).toContain('\u001b[31mFAILED ')
    const plain = stripVTControlCharacters(output).replaceAll('\n', '')
    expect(plain).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    const refused = await signetOf(context, ['trigger', 'a\u202e\u009bb'])
    expect(refused.output).not.toMatch(/[\u202e\u009b]/)
  })

  test('The last of a limited number of events has the cursor to go on from', async (context) => {
    const own = await signet.organization()
    await signet.as(own, 'POST', '/test-events', Array(3).fill({ event_name: 'PersonCreated' }))
    const args = ['events', '--no-follow', '--limit', '2', '--json']
    const cursors = linesOf((await signetOf(context, args, settingsOf(signet, own))).output).map(({ cursor }) => cursor)
    expect(cursors).toEqual([undefined, expect.stringMatching(/^\S+$/)])
  })

  test('Listening ends with the code of a refused key', async (context) => {
    const args = ['listen', '--forward-to', 'http://localhost:9/hook']
    const ended = await signetOf(context, args, {
      ...settingsOf(signet, organization),
      SIGNET_API_KEY: 'signet_secret',
    })
    expect(ended.code).toBe(3)
  })

  test('A listener that is interrupted ends quietly with 130', async (context) => {
    const args = ['listen', '--forward-to', 'http://localhost:9/hook']
    const listener = startCommand(context, args, settingsOf(signet, organization))
    await listener.says(/^Connected .*\n$/)
    process.kill(listener.pid, 'SIGINT')
    expect(await listener.ended).toBe(130)
    expect(listener.output()).toMatch(/^Connected .*\n$/)
  })

  test('Verify shows each check of a token, those that hold and those that do not', async (context) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = { iss: signet.baseUrl, aud: 'another', iat: 1, exp: 301 }
    const token = `${part({ alg: 'ES256', kid: 'none' })}.${part(claims)}.AAAA`
    const { code, output } = await signetOf(context, ['verify', token, '--json'])
    const results = Object.fromEntries(linesOf(output).map(({ check, result }) => [check, result]))
    expect(results).toMatchObject({ form: 'ok', alg: 'ok', kid: 'failed', iss: 'ok', aud: 'failed', exp: 'failed' })
    expect(code).toBe(1)
  })

  test.for(['bash', 'zsh', 'fish'])('The completion for %s knows every command', async (shell, context) => {
    const { output } = await signetOf(context, ['completion', shell])
    for (const name of ['listen', 'events', 'trigger', 'verify', 'keys', 'doctor', 'init'])
      expect(output).toContain(name)
    if (shell === 'bash') execFileSync('bash', ['-n'], { input: output })
  })

  test('The page of the command line describes every command, and every option in the help', async (context) => {
    const page = readFileSync(join(repository, 'docs/reference/command-line.md'), 'utf8')
    const names = [...page.matchAll(/^## signet (\w+)$/gm)].map(([, name = '']) => name)
    const { output } = await signetOf(context, ['--help'])
    const listed = [...output.matchAll(/^ {2}(\w+) .*$/gm)].map(([, name]) => name)
    expect(listed.filter((name) => name !== 'help' && name !== 'signet').toSorted()).toEqual(names.toSorted())
    for (const name of names) {
      const help = (await signetOf(context, [name, '--help'])).output
      const section = page.split(`## signet ${name}\n`)[1]?.split('\n## ')[0] ?? ''
      const options = [...(help.split('Global Options')[0] ?? '').matchAll(/ (--[\w-]+)/g)].map(([, option]) => option)
      expect(help).toContain('Examples:')
      for (const option of options.filter((each) => each !== '--help' && each !== '--verbose'))
        expect(section).toContain(option)
    }
  })
})
