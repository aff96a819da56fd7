import type { Answer, Headings, Organization, Signet } from './signet.ts'

/** A call with an `Idempotency-Key`. */
export const keyed = (
  signet: Pick<Signet, 'as'>,
  organization: Organization,
  key: string,
  path: string,
  body?: unknown,
  headers: Headings = {},
): Promise<Answer> => signet.as(organization, 'POST', path, body, { 'Idempotency-Key': key, ...headers })

export const isReplayed = ({ headers }: Answer): boolean => headers.get('idempotent-replayed') === 'true'
export const codeOf = ({ headers }: Answer): string | null => headers.get('signet-error')
