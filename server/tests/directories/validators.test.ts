import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDirectory } from '../support/directories.ts'
import { type OwnSignet, startOwnSignet } from '../support/signet.ts'
import { createRequests, type Requests } from './simulated/support/requests.ts'
import { enterprise, findBy, groupSchema, patchOf, userSchema } from './simulated/support/wire.ts'

/** What Microsoft's validator of SCIM services asks besides what its client sends; and what clients have reported of others. */
let signet: OwnSignet
let requests: Requests
let numbers = 0

beforeAll(async () => {
  signet = await startOwnSignet({ env: { SIGNET_ROLES: 'api' } })
  const access = await openDirectory(signet, await signet.organization())
  // 105: these requests have no `User-Agent`.
  requests = createRequests({ ...access, tries: 1 })
})

afterAll(() => signet?.stop())

const ask: Requests['ask'] = (...asked) => requests.ask(...asked)
const makeUser = async (fields: object = {}) => {
  const user = { schemas: [userSchema, enterprise], userName: `user-${numbers++}`, ...fields }
  return (await ask('POST', '/Users', [201], user)).body
}
const makeGroup = async (fields: object = {}) =>
  (await ask('POST', '/Groups', [201], { schemas: [groupSchema], displayName: `Group ${numbers++}`, ...fields })).body
const patch = async (path: string, ...operations: object[]) => {
  await ask('PATCH', path, [200, 204], patchOf(operations))
  return (await ask('GET', path, [200])).body
}

describe('105 to 112: What validators ask', () => {
  test('106: An empty text takes a single attribute away, a manager too', async () => {
    const { id } = await makeUser({
      title: 'Boss',
      nickName: 'Jo',
      [enterprise]: { manager: { value: '7' }, costCenter: '1' },
    })
    const path = `/Users/${id}`
    const manager = `${enterprise}:manager`
    const user = await patch(
      path,
      { op: 'replace', path: manager, value: '' },
      { op: 'Replace', path: 'title', value: '' },
    )
    expect(user).toMatchObject({ nickName: 'Jo', [enterprise]: { costCenter: '1' } })
    expect(user).not.toHaveProperty('title')
    expect(user[enterprise]).not.toHaveProperty('manager')
    expect(await patch(path, { op: 'replace', value: { nickName: '' } })).not.toHaveProperty('nickName')
  })

  test.each(['', '&excludedAttributes=members'])(
    '107: A group is found by its external id, letter by letter (%s)',
    async (more) => {
      const externalId = `Group-${numbers}-E`
      const { id } = await makeGroup({ externalId })
      expect(await findBy(requests, 'Groups', `externalId eq "${externalId}"`, more)).toMatchObject({ id, externalId })
      expect(await findBy(requests, 'Groups', `externalId eq "${externalId.toLowerCase()}"`, more)).toBeUndefined()
    },
  )

  test('108: A group gets another external id, and of several values of one attribute the last counts', async () => {
    const { id } = await makeGroup({ externalId: `before-${numbers}` })
    const [externalId, displayName] = [`after-${numbers}`, `Last ${numbers}`]
    expect(await patch(`/Groups/${id}`, { op: 'Replace', path: 'externalId', value: externalId })).toMatchObject({
      externalId,
    })
    const names = ['First', 'Second', displayName].map((value) => ({ op: 'replace', path: 'displayName', value }))
    expect(await patch(`/Groups/${id}`, ...names)).toMatchObject({ displayName, externalId })
    const user = await makeUser({ displayName: 'Jo' })
    const path = 'displayName'
    const steps = [
      { op: 'remove', path },
      { op: 'add', path, value: 'Joanna' },
      { op: 'replace', path, value: 'Johanna' },
    ]
    expect(await patch(`/Users/${user.id}`, ...steps)).toMatchObject({ displayName: 'Johanna' })
  })

  test('109: External ids that differ in letter case alone are two', async () => {
    const externalId = `External-${numbers}`
    for (const make of [makeUser, makeGroup]) {
      const made = [await make({ externalId }), await make({ externalId: externalId.toUpperCase() })]
      expect(new Set(made.map(({ id }) => id)).size).toBe(2)
    }
  })

  test('110: A user name is replaced without a path', async () => {
    const { id } = await makeUser()
    const userName = `renamed-${id}`
    expect(await patch(`/Users/${id}`, { op: 'replace', value: { userName } })).toMatchObject({ userName })
  })

  test('111: What is there already is no fault, and changes nothing', async () => {
    const { id, meta } = await makeUser({ displayName: 'Jo', active: true })
    const same = await patch(`/Users/${id}`, { op: 'replace', value: { displayName: 'Jo', active: true } })
    expect(same.meta).toEqual(meta)
  })

  test('112: What is not there cannot be deleted, nor twice', async () => {
    await ask('DELETE', '/Users/01890000-0000-7000-8000-000000000000', [404])
    for (const { path } of [
      { path: `/Users/${(await makeUser()).id}` },
      { path: `/Groups/${(await makeGroup()).id}` },
    ]) {
      await ask('DELETE', path, [204])
      await ask('DELETE', path, [404])
    }
  })
})
