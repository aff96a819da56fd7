import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  ask,
  closeDirectories,
  createDirectory,
  directories,
  newOrganization,
  openDirectories,
  ours,
  signet,
} from '../support/own-directories.ts'
import { core, startPushing } from '../support/pushing.ts'

beforeAll(openDirectories)
afterAll(closeDirectories)
beforeEach(newOrganization)

const listed = async (query = '') => (await ask('GET', `${directories}${query}`)).body

test('Each in the list has how many persons and groups it keeps, and what of it was refused last', async () => {
  const idle = await createDirectory({ name: 'Idle' })
  const { id, call, push } = await startPushing(signet, ours)
  await push({ userName: 'one' })
  await push({ userName: 'two' })
  await call('POST', '/Groups', { displayName: 'Engineering' })
  await call('POST', '/Users', { schemas: [core], userName: '' })
  await call('POST', '/Users', { schemas: [core], userName: 'one' })
  const last_refusal = { method: 'POST', path: '/Users', status: 409 }
  expect((await listed()).result).toMatchObject([
    { id, users_count: 2, groups_count: 1, last_refusal },
    { id: idle.id, users_count: 0, groups_count: 0 },
  ])
  expect((await listed()).result[1]).not.toHaveProperty('last_refusal')
})

test('The one that keeps a person or a group is found by it, and none where none does', async () => {
  await createDirectory({ name: 'Idle' })
  const { id, call, push } = await startPushing(signet, ours)
  const user = await push({ userName: 'one' })
  await call('POST', '/Groups', { displayName: 'Engineering' })
  const own = (await ask('POST', '/persons', {})).body.result.person_id
  await ask('POST', '/groups', { name: 'ours' })
  for (const query of [`?person_id=${user.id}`, '?group=Engineering', `?person_id=${user.id}&group=Engineering`])
    expect(await listed(query)).toMatchObject({ result: [{ id }], meta: { pagination: { total_count: 1 } } })
  for (const query of [`?person_id=${own}`, '?group=ours', `?person_id=${user.id}&group=ours`, '?group=none'])
    expect(await listed(query)).toMatchObject({ result: [], meta: { pagination: { total_count: 0 } } })
  expect((await listed('?person_id=x')).errors).toEqual([
    expect.objectContaining({ httpcode: 400, message: expect.stringMatching(/^person_id: /) }),
  ])
})
