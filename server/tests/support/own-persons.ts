import { type Receiver, startReceiver } from './receiver.ts'
import { type Organization, type Signet, startOwnSignet } from './signet.ts'

export const unknownId = '01890000-0000-7000-8000-000000000000'
export const groupNameRule = 'must be 2 to 100 characters of A-Z a-z 0-9 - _ . and start and end with a letter or digit'
export let receiver: Receiver
export let signet: Signet
export let ours: Organization

/** Those of the service, its own first; nothing here waits for the others. */
export const regions = ['local', 'eu', 'eu-1_X', 'r'.repeat(63)]

export async function openPersons() {
  receiver = await startReceiver()
  signet = await startOwnSignet({ receiver, env: { SIGNET_REGIONS: regions.join() } })
}

export const closePersons = () => Promise.all([signet?.stop(), receiver?.stop()])

export async function newOrganization() {
  ours = await signet.organization()
}

export const ask = (method: string, path: string, body?: unknown) => signet.as(ours, method, path, body)
export const create = (fields: object = {}) => ask('POST', '/persons', fields)
export const newPerson = async (fields?: object): Promise<string> => (await create(fields)).body.result.person_id
export const read = async (personId: string) => (await ask('GET', `/persons/${personId}`)).body.result
export const newGroups = (...names: string[]) => Promise.all(names.map((name) => ask('POST', '/groups', { name })))
export const email = (value: string) => ({ type: 'EmailAddress', value })
export const phone = (value: string) => ({ type: 'PhoneNumber', value })
