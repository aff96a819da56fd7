import { type OwnSignet, startOwnSignet } from '../../../server/tests/support/signet.ts'
import type { Organization } from './as-code-program.ts'

/** A Signet of a test file's own: `openService` goes into `beforeAll`. */
export let service: OwnSignet

export async function openService() {
  service = await startOwnSignet()
}

export const closeService = () => service?.stop()

/** A new organization, what the program is given by its owner, and a look at what it has. */
export async function newOrganization(environment: Record<string, string> = {}) {
  const organization: Organization = await service.organization()
  const given = { baseUrl: service.baseUrl, organization, environment }
  const read = async (path: string) => (await service.as(organization, 'GET', path)).body.result
  return { organization, given, read }
}
