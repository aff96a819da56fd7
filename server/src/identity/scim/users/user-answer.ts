import type { DirectoryUser } from '../../directories/index.ts'
import type { ScimCall, ScimReply } from '../http/scim-route.ts'
import type { Resource } from '../schema/attributes.ts'
import { type Projection, toAnswer, toMeta } from '../schema/to-answer.ts'
import { userSchema } from '../schema/user-schema.ts'

/** What a directory can change of a user. */
export const resourceOf = ({
  userName,
  externalId,
  active,
  attributes,
}: Pick<DirectoryUser, 'userName' | 'externalId' | 'active'> & { attributes: object }): Resource => ({
  ...attributes,
  userName,
  ...(externalId !== null && { externalId }),
  active,
})

export function answerOf(scimUrl: string, user: DirectoryUser, projection: Projection): object {
  const groups = user.groups?.map((group) => ({ ...group, $ref: `${scimUrl}/Groups/${group.value}`, type: 'direct' }))
  const shown = {
    ...resourceOf(user),
    id: user.id,
    ...(groups && { groups }),
    meta: toMeta(userSchema, scimUrl, user),
  }
  return toAnswer(userSchema, shown, projection)
}

export function replyWith(
  { scimUrl }: ScimCall,
  user: DirectoryUser,
  { status, projection }: { status: 200 | 201; projection: Projection },
): ScimReply {
  const { location } = toMeta(userSchema, scimUrl, user)
  return { status, body: answerOf(scimUrl, user, projection), version: user.version, location }
}
