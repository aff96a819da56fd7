import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { generateKeyPair, SignJWT } from 'jose'
import { expect, test, vi } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { apiTakesTokens } from '../support/api-example.ts'
import { repository } from '../support/program.ts'

const command = [process.execPath, 'examples/api/api.ts'] as const
apiTakesTokens('The API of examples/api in Express', [...command])

test('The API of examples/api does not call a token invalid whose key it cannot get', async (context) => {
  const issuer = createServer((_request, answer) => answer.writeHead(503).end()).listen(0, '127.0.0.1')
  context.onTestFinished(() => void issuer.close())
  await once(issuer, 'listening')
  const [program, ...given] = command
  const port = await freePort()
  const ISSUER = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`
  const env = { ...process.env, ISSUER, RESOURCE: 'https://orders.example.com', PORT: `${port}` }
  const api = spawn(program, given, { cwd: repository, stdio: 'ignore', env })
  context.onTestFinished(() => void api.kill('SIGKILL'))
  const { privateKey } = await generateKeyPair('RS256')
  const token = await new SignJWT({}).setProtectedHeader({ alg: 'RS256', kid: 'a', typ: 'at+jwt' }).sign(privateKey)
  const ask = (headers: Record<string, string>) => fetch(`http://127.0.0.1:${port}/orders`, { headers })
  await vi.waitFor(async () => expect((await ask({})).status).toBe(401), { timeout: 20_000 })
  expect((await ask({ authorization: `Bearer ${token}` })).status).toBe(500)
})
