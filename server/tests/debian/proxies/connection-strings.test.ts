import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeAuthority } from '../../../../scripts/certificates.ts'
import { connectionOf } from '../../../src/ground/database/connection.ts'
import { createPrimary } from '../../../src/ground/database/primary.ts'
import { openFolder } from './support/folder.ts'
import { password, startServer } from './support/postgresql.ts'

const reach = async (address: string) => {
  const client = await createPrimary(connectionOf(address)).connect({ settings: { statementTimeoutMs: 5_000 } })
  await client.end()
}

const refusal = (asked: string, rule: string) => ({
  code: '28000',
  message: `the server asks for ${asked} authentication, and ${rule} refuses that`,
})

test('The driver gives a server no password in another way than the string asks for', async () => {
  const life = new AsyncDisposableStack()
  onTestFinished(() => life.disposeAsync())
  const folder = openFolder(life)
  const server = await startServer(life, join(folder, 'data'))
  const authority = makeAuthority()
  await server.certify(authority.issue(['localhost']))
  const root = join(folder, 'root.crt')
  writeFileSync(root, authority.certificate)
  const plain = `postgresql://signet:${password}@localhost:${server.port}/signet`
  const encrypted = `${plain}?sslmode=verify-full&sslrootcert=${root}`

  await expect(reach(`${plain}?require_auth=scram-sha-256`)).rejects.toMatchObject(
    refusal('none', 'require_auth=scram-sha-256'),
  )
  await reach(`${plain}?require_auth=none`)

  await server.requirePassword()
  await reach(`${encrypted}&channel_binding=require&require_auth=scram-sha-256`)
  await reach(`${encrypted}&channel_binding=prefer`)
  await expect(reach(`${plain}?channel_binding=require`)).rejects.toMatchObject(
    refusal('scram-sha-256', 'channel_binding=require'),
  )
  await expect(reach(`${plain}?require_auth=!scram-sha-256`)).rejects.toMatchObject({ code: '28000' })

  await server.requirePassword('password')
  await reach(plain)
  await expect(reach(`${plain}?require_auth=md5,scram-sha-256`)).rejects.toMatchObject(
    refusal('password', 'require_auth=md5,scram-sha-256'),
  )
  await expect(reach(`${encrypted}&channel_binding=require`)).rejects.toMatchObject(
    refusal('password', 'channel_binding=require'),
  )
})

test('An address, a minimum of TLS and signs of life are what the string says', async () => {
  const life = new AsyncDisposableStack()
  onTestFinished(() => life.disposeAsync())
  const folder = openFolder(life)
  const server = await startServer(life, join(folder, 'data'))
  const authority = makeAuthority()
  await server.certify(authority.issue(['db.example.com']))
  const root = join(folder, 'root.crt')
  writeFileSync(root, authority.certificate)
  const words = `hostaddr=127.0.0.1 port=${server.port} dbname=signet user=signet keepalives_idle=30 sslrootcert=${root}`
  await reach(`${words} host=db.example.com sslmode=verify-full ssl_min_protocol_version=TLSv1.3`)
  await expect(reach(`${words} host=other.example.com sslmode=verify-full`)).rejects.toMatchObject({
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  })
})
