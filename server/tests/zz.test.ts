import { expect, test } from 'vitest'
import { Validator } from '@seriousme/openapi-schema-validator'
import { writeFileSync } from 'node:fs'
import { testDatabase } from './support/database.ts'
import { startSignet } from './support/signet.ts'
test('smoke', async () => {
  const database = await testDatabase()
  const signet = await startSignet({ databaseUrl: database.url })
  const doc = await fetch(signet.baseUrl + '/openapi.json').then(r => r.json())
  writeFileSync('/tmp/openapi.json', JSON.stringify(doc, null, 1))
  const v = new Validator()
  const r = await v.validate(doc)
  console.log(v.version, JSON.stringify(r).slice(0, 3000))
  const docs = await fetch(signet.baseUrl + '/docs')
  console.log(docs.status, docs.url, [...docs.headers], (await docs.text()))
  await signet.stop()
  await database.drop()
})
