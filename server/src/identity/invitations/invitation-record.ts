import { Type } from 'typebox'
import { CreatedAt, named, Timestamp, Uuid } from '../../ground/http/chain/schemas.ts'
import { GroupName } from '../persons/groups/index.ts'
import type { Invitation } from './invitation-store.ts'

const fields = {
  id: { ...Uuid, description: 'The id of the invitation, which does not open it.' },
  group: GroupName,
  created_at: CreatedAt,
  expires_at: { ...Timestamp, description: 'From then on nobody can use it.' },
}

export const InvitationRecord = named(
  'ConsoleInvitation',
  Type.Object(fields, { description: 'An invitation to the console that is open.' }),
)
export const CreatedInvitation = named(
  'CreatedConsoleInvitation',
  Type.Object(
    {
      ...fields,
      url: Type.String({
        description: 'The invitation itself, which is shown this once. Whoever has it can use it.',
        examples: [`https://id.example.com/console/invitation#${'0'.repeat(96)}`],
      }),
    },
    { description: 'A new invitation to the console.' },
  ),
)

export const toRecord = ({ id, group, created_at, expires_at }: Invitation) => ({ id, group, created_at, expires_at })
export const targetOf = (id: string) => ({ type: 'console_invitation', id }) as const
