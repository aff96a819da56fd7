import { Type } from 'typebox'
import { notFound } from '../../../ground/errors.ts'
import { CreatedAt, idInPath, Name, named, ShownName, Timestamp, Uuid } from '../../../ground/http/chain/schemas.ts'
import { DirectoryPath } from '../directory-record.ts'
import type { Token } from './token-store.ts'

const examples = ['Okta']
export const tokenFields = {
  // The audit log names it to everybody who reads it.
  name: { ...ShownName, examples },
  expires_at: {
    ...Timestamp,
    description: 'From then on it is refused. Absent: it does not expire.',
    examples: ['2037-01-01T00:00:00.000Z'],
  },
}

const fields = {
  id: { ...Uuid, description: 'The id of the token, which is not the token itself.' },
  name: Type.Optional({ ...Name, examples }),
  created_at: CreatedAt,
  expires_at: Type.Optional(tokenFields.expires_at),
}

export const TokenRecord = named(
  'DirectoryToken',
  Type.Object(
    {
      ...fields,
      last_used_at: Type.Optional({ ...Timestamp, description: 'When it was last used, to the minute.' }),
    },
    { description: 'What the client of a directory authenticates with, without the token itself.' },
  ),
)
export const shownToken = Type.String({
  description: 'The token itself, which is shown this once.',
  examples: ['signet_scim_01a1fdec4b5872798a15173fda3083f70000000000000000000000000000000000000000000000000000'],
})
export const CreatedToken = named(
  'CreatedDirectoryToken',
  Type.Object({ ...fields, token: shownToken }, { description: 'A new token of a directory.' }),
)

type Shown = Omit<Token, 'last_used_at'> & Partial<Token>

/** Leaves out what is null. */
export const toRecord = ({ id, name, created_at, expires_at, last_used_at }: Shown) => ({
  id,
  ...(name !== null && { name }),
  created_at,
  ...(expires_at && { expires_at }),
  ...(last_used_at && { last_used_at }),
})

export const TokenPath = Type.Object({ ...DirectoryPath.properties, token_id: idInPath('The id of the token.') })

export const noSuchToken = () => notFound('token')
