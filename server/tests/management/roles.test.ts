import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grantedTo, type Role, roles } from '../../src/ground/http/chain/roles.ts'
import { readOperations } from '../hostile/support/document.ts'
import { closeOwnKeys, openOwnKeys, signet } from '../support/own-keys.ts'
import { repository } from '../support/program.ts'

beforeAll(openOwnKeys)
afterAll(closeOwnKeys)

const [, section = ''] = readFileSync(join(repository, 'docs/use/administrators.md'), 'utf8').split(
  '## What a role may do',
)
/** Without the head. */
const table = section
  .split('\n## ')[0]
  ?.split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| |'))
  .map((line) => line.slice(2, -2).split(' | ')) as string[][]

const cellsOf = (said: (role: Role) => string) => roles.map(said)

const namesIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

test('The page of administrators has the scopes of each role, area by area', () => {
  const areas = [...new Set(grantedTo(['owner']).scopes.map((scope) => scope.split(':')[0] ?? ''))]
  const held = (area: string) => (role: Role) => {
    const scopes: readonly string[] = grantedTo([role]).scopes
    if (scopes.includes(`${area}:write`)) return 'write'
    return scopes.includes(`${area}:read`) ? 'read' : 'nothing'
  }
  const shown = table.filter(([name = '']) => /^`[\w-]+`$/.test(name))
  expect(shown).toEqual(areas.map((area) => [`\`${area}\``, ...cellsOf(held(area))]))
})

test('The page of administrators says which other operations a role may call, and who counts as an admin key', async () => {
  const operations = await readOperations(signet)
  const mayCall = (id: string) => (role: Role) => {
    const { scopes, isAdmin, operations: own } = grantedTo([role])
    const { scopes: needed, isAdminOnly } = operations.find((each) => each.id === id) as (typeof operations)[number]
    const isCovered = !isAdminOnly && needed.every((scope) => (scopes as readonly string[]).includes(scope))
    return isAdmin || own.includes(id) || isCovered ? 'yes' : 'no'
  }
  const shown = table.filter(([name = '']) => name.includes('(`'))
  const named = shown.flatMap(([name = '']) => namesIn(name))
  for (const [name = '', ...cells] of shown)
    for (const id of namesIn(name)) expect(cells, id).toEqual(cellsOf(mayCall(id)))
  const besides = roles.flatMap((role) => grantedTo([role]).operations)
  // A test is read with the scope that reads credentials, which all roles have.
  expect(named).toEqual(expect.arrayContaining(besides.filter((id) => id !== 'getTestSignIn')))
  const admins = table.find(([name = '']) => name.includes('only admin keys'))
  expect(admins?.slice(1)).toEqual(cellsOf((role) => (grantedTo([role]).isAdmin ? 'yes' : 'no')))
})
