import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { createKeyring, type Keyring, makeMasterKey, parseMasterKeys } from '../../src/ground/keys/index.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { keyCheck } from '../../src/operator/installation/initialize.ts'
import { encryptedColumns, reencrypt } from '../../src/operator/installation/reencrypt.ts'
import { testDatabase } from '../support/database.ts'

const [oldKey, newKey, lostKey] = [makeMasterKey(), makeMasterKey(), makeMasterKey()]
const oldKeyring = keyringOf(oldKey)
const newKeyring = keyringOf(newKey)
const keyring = keyringOf(`${newKey},${oldKey}`)
/** Several batches. */
const webhooksEach = 130

function keyringOf(list: string): Keyring {
  const parsed = parseMasterKeys(list)
  if ('problem' in parsed) throw new Error(parsed.problem)
  return createKeyring(parsed.masterKeys)
}

describe('Re-encryption', () => {
  let drop: () => Promise<void>
  let database: Database
  let organizationId: string

  beforeAll(async () => {
    const connection = await testDatabase()
    drop = connection.drop
    database = openDatabase(connection)
  })

  afterAll(async () => {
    await database?.close()
    await drop?.()
  })

  beforeEach(async () => {
    await database.write.rows({ name: '', text: 'truncate installation, organizations cascade', values: [] })
    await database.write.rows(sql`
      insert into installation (base_url, master_key_check) values ('x', ${oldKeyring.encrypt(keyCheck.text, keyCheck.place)})`)
    organizationId = await fillOrganization()
    await fillOrganization()
  })

  /** Two signing keys, an issuer's key, a client secret, answers of which some are encrypted, and webhooks of which every other one has headers. */
  async function fillOrganization(): Promise<string> {
    const id = makeId(Date.now())
    await database.write.rows(sql`
      insert into organizations (id, name, pricing_tier, created_at) values (${id}, 'x', 'unlimited', now())`)
    for (const signsFrom of [new Date(), null])
      await database.write.rows(sql`
        insert into signing_keys (org_id, kid, public_jwk, private_key, published_at, signs_from)
        values (${id}, ${makeId(Date.now())}, '{}', ${encrypted(oldKeyring, id, 'signing_keys.private_key', 'key')}, now(), ${signsFrom})`)
    await database.write.rows(sql`
      insert into issuer_keys (org_id, kid, alg, private_key, published_at)
      values (${id}, 'x', 'RS256', ${encrypted(oldKeyring, id, 'issuer_keys.private_key', 'key')}, now())`)
    await database.write.rows(sql`
      insert into oidc_credentials (org_id, id, client_id, provider, client_secret, label, external_cred_id, options)
      values (${id}, ${makeId(Date.now())}, 'x', 'provider_a', ${encrypted(oldKeyring, id, 'oidc_credentials.client_secret', 'secret')},
              '', '', '{}')`)
    for (const callHash of ['1', '2'].map((text) => Buffer.from(text)))
      await database.write.rows(sql`
        insert into idempotency_keys (org_id, call_hash, request_hash, status, sealed_answer, subject_id, created_at)
        values (${id}, ${callHash}, '', 201, ${encrypted(oldKeyring, id, 'idempotency_keys.sealed_answer', 'answer')}, ${id}, now())`)
    await database.write.rows(sql`
      insert into idempotency_keys (org_id, call_hash, request_hash, status, answer, created_at)
      values (${id}, '3', '', 201, 'answer', now())`)
    const headers = (index: number) => (index % 2 ? `{"x":["${index}"]}` : null)
    await Promise.all(Array.from({ length: webhooksEach }, (_, index) => insertWebhook(id, headers(index))))
    return id
  }

  async function insertWebhook(id: string, headers: string | null) {
    const stored = headers && encrypted(oldKeyring, id, 'webhooks.custom_headers', headers)
    const webhookId = makeId(Date.now())
    await database.write.rows(sql`
      insert into webhooks (org_id, id, target_url, target_key, name, description, custom_headers, timeout_ms, created_at)
      values (${id}, ${webhookId}, ${webhookId}, ${webhookId}, 'x', '', ${stored}, 0, now())`)
  }

  const encrypted = (by: Keyring, organizationId: string, column: string, text: string) =>
    by.encrypt(text, { organizationId, column })

  /** All that is encrypted, with its place, in clear. Throws when that keyring does not decrypt it. */
  async function contents(by: Keyring): Promise<string[]> {
    const check = await database.write.rows(
      sql<{ encrypted: Buffer }>`select master_key_check as encrypted from installation`,
    )
    const found = check.map(({ encrypted }) => by.decrypt(encrypted, keyCheck.place).toString())
    for (const { table, key, column } of encryptedColumns) {
      const text = `select org_id, ${key} as key, ${column} as encrypted from ${table} where ${column} is not null order by 1, 2`
      const rows = await database.write.rows<{ org_id: string; key: string; encrypted: Buffer }>({
        name: '',
        text,
        values: [],
      })
      const place = (organizationId: string) => ({ organizationId, column: `${table}.${column}` })
      found.push(
        ...rows.map((row) => `${row.org_id} ${row.key} ${by.decrypt(row.encrypted, place(row.org_id)).toString()}`),
      )
    }
    return found
  }

  const all = 2 * (2 + 1 + 1 + 2 + webhooksEach / 2)
  const reencryptAll = (onProgress = (_done: number) => {}, on = database) =>
    reencrypt({ database: on, keyring, onProgress })

  test('Every column of bytes is known: encrypted and listed, or named here as an exception', async () => {
    const columns = await database.read.rows(sql<{ name: string }>`
      select c.relname || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
       where a.atttypid = 'bytea'::regtype and not a.attisdropped and c.relkind in ('r', 'p') and not c.relispartition
         and c.relnamespace = 'public'::regnamespace`)
    const hashes = [
      'api_keys.key_hash',
      'applications.client_secret_hash',
      'console_invitations.token_hash',
      'console_sessions.operator_key_hash',
      'console_sessions.token_hash',
      'console_sign_ins.former_hash',
      'console_sign_ins.secret_hash',
      'console_sign_ins.state_hash',
      'credential_links.token_hash',
      'directory_links.token_hash',
      'directory_tokens.token_hash',
      'flows.secret_hash',
      'former_identities.subject_hash',
      'flows.state_hash',
      'idempotency_keys.call_hash',
      'idempotency_keys.request_hash',
      'issuer_sessions.id_hash',
      'issuer_tokens.id_hash',
      'moved_organizations.start_code_hash',
      'test_sign_ins.link_hash',
    ]
    // Encrypted under a secret that a browser has, and no master key; shown to everybody.
    const others = ['flows.expected', 'organization_logos.picture']
    const encrypted = encryptedColumns.map(({ table, column }) => `${table}.${column}`)
    expect(columns.map(({ name }) => name).sort()).toEqual(
      [...hashes, ...others, 'installation.master_key_check', ...encrypted].sort(),
    )
  })

  test('Re-encryption keeps all values, and makes them readable without the old key', async () => {
    const before = await contents(oldKeyring)
    expect(before).toHaveLength(all + 1)
    expect(await reencryptAll()).toEqual({ done: all, left: 0, problems: [] })
    expect(await contents(newKeyring)).toEqual(before)
  })

  test('Re-encryption does nothing when it is run again', async () => {
    await reencryptAll()
    const versions = () =>
      database.write.rows(sql`select xmin, ctid from webhooks union all select xmin, ctid from signing_keys`)
    const before = await versions()
    expect(await reencryptAll()).toEqual({ done: 0, left: 0, problems: [] })
    expect(await versions()).toEqual(before)
  })

  test('Re-encryption continues where it was stopped, and until its end no process starts without the old key', async () => {
    const stopped = reencryptAll((done) => {
      if (done > 4) throw new Error('stopped')
    })
    await expect(stopped).rejects.toThrow('stopped')
    await expect(contents(newKeyring)).rejects.toThrow('installation')
    const before = await contents(keyring)
    expect(await reencryptAll()).toEqual({ done: all - 4 - 100, left: 0, problems: [] })
    expect(await contents(newKeyring)).toEqual(before)
  })

  test('Several runs at once re-encrypt each value once', async () => {
    const before = await contents(oldKeyring)
    const runs = await Promise.all([reencryptAll(), reencryptAll(), reencryptAll()])
    expect(runs.map(({ left }) => left)).toEqual([0, 0, 0])
    expect(runs.reduce((sum, { done }) => sum + done, 0)).toBe(all)
    expect(await contents(newKeyring)).toEqual(before)
  })

  /** The database as `reencrypt` sees it: another process does `action` right before its first such statement. */
  function before(statement: RegExp, action: () => Promise<unknown>): Database {
    let isDone = false
    const rows: Database['write']['rows'] = async (next) => {
      const isTime = !isDone && statement.test(next.text)
      if (isTime) isDone = true
      if (isTime) await action()
      return database.write.rows(next)
    }
    return { ...database, write: { rows } }
  }

  test('Headers that were changed after they had been read are never overwritten', async () => {
    const changed = '{"x":["changed"]}'
    const changeAll = () =>
      database.write.rows(sql`
      update webhooks set custom_headers = ${encrypted(newKeyring, organizationId, 'webhooks.custom_headers', changed)}
       where org_id = ${organizationId} and custom_headers is not null`)
    const { done, left } = await reencryptAll(undefined, before(/^\s*update webhooks/, changeAll))
    expect({ done, left }).toEqual({ done: all - webhooksEach / 2, left: 0 })
    const found = (await contents(newKeyring)).filter((value) => value.startsWith(organizationId))
    expect(found.filter((value) => value.endsWith(changed))).toHaveLength(webhooksEach / 2)
  })

  test('Values that were encrypted with the old key meanwhile are reported, and re-encrypted by the next run', async () => {
    const add = () => insertWebhook(organizationId, '{"x":["late"]}')
    const first = await reencryptAll(undefined, before(/^\s*select count/, add))
    expect(first).toEqual({ done: all, left: 1, problems: [] })
    await expect(contents(newKeyring)).rejects.toThrow('installation')
    expect(await reencryptAll()).toEqual({ done: 1, left: 0, problems: [] })
    expect(await contents(newKeyring)).toHaveLength(all + 2)
  })

  test('Values that no key decrypts are reported by their location without their content, and the others are re-encrypted', async () => {
    await database.write.rows(sql`
      update signing_keys
         set private_key = ${encrypted(keyringOf(lostKey), organizationId, 'signing_keys.private_key', 'a secret')}
       where org_id = ${organizationId} and signs_from is null`)
    const place = `signing_keys.private_key of organization ${organizationId}`
    expect(await reencryptAll()).toEqual({
      done: all - 1,
      left: 1,
      problems: [`${place}: encrypted under a master key that was not given`],
    })
    await expect(contents(newKeyring)).rejects.toThrow('installation')
  })

  test('Re-encryption refuses to begin with keys that do not fit', async () => {
    const before = await contents(oldKeyring)
    await expect(reencrypt({ database, keyring: newKeyring, onProgress: () => {} })).rejects.toThrow(
      'SIGNET_MASTER_KEY: none of its keys fits this database, whose secrets could not be read',
    )
    expect(await contents(oldKeyring)).toEqual(before)
  })
})
