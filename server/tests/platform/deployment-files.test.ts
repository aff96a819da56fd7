import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, test } from 'vitest'
import { settingNames } from '../../src/start/config.ts'
import { stopMs } from '../../src/start/shutdown.ts'
import { repository } from '../support/program.ts'

const folder = join(repository, 'examples/deployment')
const readFile = (name: string) => readFileSync(join(folder, name), 'utf8')
const pages = readdirSync(join(repository, 'docs')).filter((name) => name.endsWith('.md'))
const readPage = (name: string) => readFileSync(join(repository, 'docs', name), 'utf8')
const files = readdirSync(folder)

test.each(files)('The deployment file %s is linked from a page', (file) => {
  expect(pages.filter((page) => readPage(page).includes(`(../examples/deployment/${file})`))).not.toEqual([])
})

describe('The systemd unit', () => {
  const unit = readFile('signet.service')
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]

  test('The unit starts Node as `npm start` does', () => {
    const { start } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).scripts
    expect(`exec ${setting('ExecStart')}`).toBe(
      start.replace('node ', '/opt/signet/node_modules/.bin/node ').replace(' server/', ' /opt/signet/server/'),
    )
  })

  test('The unit starts at boot, after network and database, as a user of its own, and restarts after every end', () => {
    expect([setting('User'), setting('WantedBy'), setting('Restart')]).toEqual([
      'signet',
      'multi-user.target',
      'always',
    ])
    expect([setting('After'), setting('Wants')]).toEqual([
      'network-online.target postgresql.service pgbouncer.service',
      'network-online.target',
    ])
    // By its own default systemd gives up after five starts within ten seconds.
    expect(setting('StartLimitIntervalSec')).toBe('0')
  })

  test('Its processes can write to their state only, gain no rights, and have time for a stop', () => {
    const names = ['ProtectSystem', 'StateDirectory', 'NoNewPrivileges', 'CapabilityBoundingSet', 'ProtectHome']
    expect(names.map(setting)).toEqual(['strict', 'signet', 'yes', '', 'yes'])
    expect(setting('WorkingDirectory')).toBe('%S/signet')
    // Fifty seconds are for a drain and the checkpoint of PostgreSQL.
    expect(Number(setting('TimeoutStopSec'))).toBeGreaterThanOrEqual(stopMs / 1_000 + 50)
    expect(setting('KillMode')).toBe('mixed')
  })

  test('Each secret can come as a credential, where Signet looks for it', () => {
    const lines = readFile('signet-secrets.conf').split('\n')
    const names = lines.flatMap((line) => /^LoadCredential=([a-z-]+):\/etc\/signet\/\1$/.exec(line)?.[1] ?? [])
    const settings = lines.flatMap((line) => /^Environment=([A-Z_]+)=%d\/([a-z-]+)$/.exec(line)?.slice(1, 3) ?? [])
    expect(settings.filter((_, index) => index % 2 === 1)).toEqual(names)
    expect(settings.filter((_, index) => index % 2 === 0).sort()).toEqual(
      settingNames.serviceSecrets.map((name) => `${name}_FILE`).sort(),
    )
  })

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

  test.runIf(hasSystemd)('The unit has no line that systemd does not know', () => {
    const temporary = mkdtempSync(join(tmpdir(), 'signet-test-'))
    const path = join(temporary, 'signet.service')
    writeFileSync(path, unit.replaceAll('/opt/signet', repository))
    mkdirSync(`${path}.d`)
    writeFileSync(join(`${path}.d`, 'secrets.conf'), readFile('signet-secrets.conf'))
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
    rmSync(temporary, { recursive: true })
    expect([status, stdout + stderr]).toEqual([0, ''])
  })
})

describe('The files of high availability', () => {
  const patroni = readFile('patroni.yml')
  const numberOf = (name: string) => Number(new RegExp(`^ +${name}: (\\d+)$`, 'm').exec(patroni)?.[1])

  test('A primary that cannot renew its lease stops before another one may start, after at most 20 s', () => {
    expect(numberOf('ttl')).toBeLessThanOrEqual(20)
    expect(numberOf('loop_wait') + 2 * numberOf('retry_timeout')).toBeLessThanOrEqual(numberOf('ttl'))
  })

  test('A commit is on the disks of two machines before it is acknowledged', () => {
    for (const line of ['synchronous_mode: true', 'synchronous_mode_strict: true']) expect(patroni).toContain(line)
    expect(patroni).not.toMatch(/fsync|full_page_writes|synchronous_commit/)
  })

  test('HAProxy, Patroni and etcd name the same machines', () => {
    const addressesIn = (name: string, port: number) =>
      [...new Set(readFile(name).match(new RegExp(`10[.0-9]+(?=:${port})`, 'g')))].sort()
    const three = ['10.0.0.11', '10.0.0.12', '10.0.0.13']
    expect(addressesIn('haproxy-postgresql.cfg', 5432)).toEqual(three)
    expect(addressesIn('patroni.yml', 2379)).toEqual(three)
    expect(addressesIn('etcd.env', 2380)).toEqual(three)
  })

  test('Every setting of Signet is one that Signet knows', () => {
    const known = parseEnv(readFileSync(join(repository, 'signet.env.example'), 'utf8'))
    const settings = Object.keys(parseEnv(readFile('high-availability.env')))
    expect(settings.filter((name) => !(name in known))).toEqual([])
  })
})

const quoted = pages.flatMap((page) =>
  [...readPage(page).matchAll(/^```(nginx|haproxy|ini)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
    page,
    language,
    text,
  })),
)

test.each(quoted)('The $language that $page quotes stands so in a file', ({ text }) => {
  expect(files.filter((file) => readFile(file).includes(text))).toHaveLength(1)
})
