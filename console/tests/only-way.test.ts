import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const source = join(import.meta.dirname, '../src')

/** Each with what it may send, and whose cookies go along. */
const senders = [
  // Whether there is another build of the console, and whether anybody answers: files of the console, without cookies or not.
  'network/build.ts',
  // What all others send goes through it.
  'network/network.ts',
  // The console's own routes, for the next two, and its own files.
  'service/answer.ts',
  // By the management client: every request names the organization and the session of the page.
  'service/signet.ts',
  // The public discovery document of an issuer, without cookies.
  'sign-in/use-issuer.ts',
]

test('Nothing but these files sends requests, so that none is sent without naming its organization and session', () => {
  const sending =
    /\b(?:fetch|reach)\(|\b(?:fetch|reach);|\bEventSource\b|\bXMLHttpRequest\b|\bsendBeacon\b|\bWebSocket\b|\bnew Signet\(/
  const found = globSync('**/*.{ts,tsx}', { cwd: source })
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => sending.test(readFileSync(join(source, file), 'utf8')))
  // It records what a form would send, and sends nothing.
  expect(found.filter((file) => file !== 'calls/recorded-request.ts').sort()).toEqual(senders)
})

test('Nothing is kept in the browser but the theme, which is nobody’s, and tabs tell each other of a sign-in alone', () => {
  const storing = /\b(?:localStorage|sessionStorage|indexedDB|BroadcastChannel|document\.cookie)\b/
  const found = globSync('**/*.{ts,tsx}', { cwd: source })
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => storing.test(readFileSync(join(source, file), 'utf8')))
  expect(found.sort()).toEqual(['app/theme.ts', 'entrance/other-tabs.ts'])
})
