import { Type } from 'typebox'
import { notFound } from '../../../ground/errors.ts'
import { CreatedAt, idInPath, named, Timestamp, Uuid } from '../../../ground/http/chain/schemas.ts'
import { DirectoryPath } from '../directory-record.ts'
import { tokenFields } from '../tokens/token-record.ts'
import type { Link } from './link-store.ts'

export const linkFields = { name: { ...tokenFields.name, description: 'The name that the token gets.' } }

const fields = {
  id: { ...Uuid, description: 'The id of the link, which does not open it.' },
  name: Type.Optional(linkFields.name),
  created_at: CreatedAt,
  expires_at: { ...Timestamp, description: 'From then on nobody can use it.' },
}

export const LinkRecord = named('DirectoryLink', Type.Object(fields, { description: 'A directory link that is open.' }))
export const CreatedLink = named(
  'CreatedDirectoryLink',
  Type.Object(
    {
      ...fields,
      url: Type.String({
        description: 'The link itself, which is shown this once. Whoever has it can use it.',
        examples: [`https://id.example.com/console/directory-link#${'0'.repeat(96)}`],
      }),
    },
    { description: 'A new directory link.' },
  ),
)

export const toRecord = ({ id, name, created_at, expires_at }: Link) => ({
  id,
  ...(name !== null && { name }),
  created_at,
  expires_at,
})

export const LinkPath = Type.Object({ ...DirectoryPath.properties, link_id: idInPath('The id of the link.') })

export const noSuchLink = () => notFound('directory link')
