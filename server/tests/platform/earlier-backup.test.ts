import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { readPosition } from '../../src/operator/backup/backup-store.ts'
import { manifestName, readManifest, writeManifest } from '../../src/operator/backup/manifest.ts'
import { emptyDatabase } from '../support/database.ts'
import { temporaryFolder } from '../support/program.ts'

test('A backup that was made before positions were called so says how far its history goes', (context) => {
  const folder = temporaryFolder(context)
  writeManifest(folder, {
    signet_version: '0.1.0',
    postgresql_major: 18,
    base_url: 'http://localhost:9',
    started_at: '2026-11-20T00:00:00.000Z',
    complete_until: '2026-11-20T00:00:01.000Z',
    last_position: 4_294_967_297,
    has_master_key: true,
    bytes: 0,
    folders: [],
    files: [],
  })
  const path = join(folder, manifestName)
  const { manifest_sha256: _, ...manifest } = JSON.parse(
    readFileSync(path, 'utf8').replace('"last_position"', '"last_place"'),
  )
  const digest = createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
  writeFileSync(path, JSON.stringify({ ...manifest, manifest_sha256: digest }))
  const read = readManifest(folder)
  expect(read.last_position).toBe(4_294_967_297)
  expect(read).not.toHaveProperty('last_place')
})

test('A backup of a stopped service of an earlier version has the last position of its sequence', async () => {
  const connection = await emptyDatabase()
  onTestFinished(connection.drop)
  const client = new pg.Client(connection)
  await client.connect()
  await client.query("create sequence places; select setval('places', 4294967297)")
  const { last_position } = await readPosition(client).finally(() => client.end())
  expect(last_position).toBe(4_294_967_297)
})
