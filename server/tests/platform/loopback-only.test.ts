import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const run = (program: string) => {
  const { status, stderr } = spawnSync(process.execPath, ['--eval', program], { encoding: 'utf8' })
  return { status, stderr }
}

/** With a server at an address of its own, tests may leave this machine. */
const isGuarded = /^\/|^$/.test(process.env.SIGNET_TEST_SERVER ?? '')

test.runIf(isGuarded).each([
  ['A connection', `net.connect(80, '192.0.2.1').on('error', () => {})`, '192.0.2.1'],
  ['A datagram', `dgram.createSocket('udp4').send('x', 53, '192.0.2.1', () => {})`, '192.0.2.1'],
  ['A lookup', `dns.lookup('signet.example', () => {})`, 'signet.example'],
  [
    'A query of a name server',
    `const resolver = new dns.promises.Resolver(); resolver.setServers(['192.0.2.1']); resolver.resolve4('a.test').catch(() => {})`,
    '192.0.2.1',
  ],
  ['A call', `fetch('https://[2001:db8::1]/').catch(() => {})`, '2001:db8::1'],
])(
  '%s that would leave this machine ends the process of a test, and the error names the address',
  (_, program, host) => {
    expect(run(program)).toEqual({
      status: 1,
      stderr: expect.stringContaining(`Error: ${host}: a test must not reach`),
    })
  },
)

test('A connection within this machine is not hindered', () => {
  const program = `net.connect(1, 'localhost').on('error', ({ code }) => process.exit(code === 'ECONNREFUSED' ? 0 : 1))`
  expect(run(program)).toEqual({ status: 0, stderr: '' })
})
