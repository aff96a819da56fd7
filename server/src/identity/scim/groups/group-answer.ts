import type { Database } from '../../../ground/database/database.ts'
import { isUuid } from '../../../ground/runtime/identifiers.ts'
import type { DirectoryGroup, WrittenGroup } from '../../directories/index.ts'
import { noSuchResource } from '../errors.ts'
import { readProjection } from '../http/list-query.ts'
import type { ScimCall, ScimReply } from '../http/scim-route.ts'
import { foldCase, type Resource } from '../schema/attributes.ts'
import { groupSchema, signetGroupUrn } from '../schema/group-schema.ts'
import { isWanted, type Projection, toAnswer, toMeta } from '../schema/to-answer.ts'
import { type FoundGroup, findGroup } from './group-store.ts'

/** A text that is no UUID is not found, like an unknown id. */
export function groupIdIn({ id = '' }: Record<string, string>): string {
  if (!isUuid(id)) throw noSuchResource()
  return id.toLowerCase()
}

/** What of a group a client may write, beside its members. */
export const toResource = ({ externalId, displayName }: DirectoryGroup): Resource => ({
  ...(externalId !== null && { externalId }),
  displayName,
})

/** Of a resource that was read: both are texts. */
export function toWritten({ externalId, displayName }: Resource): WrittenGroup {
  const name = displayName as string
  return { displayName: name, displayKey: foldCase(name), externalId: (externalId as string | undefined) ?? null }
}

export const toGroupAnswer = (group: FoundGroup, scimUrl: string, projection: Projection): object =>
  toAnswer(
    groupSchema,
    {
      id: group.id,
      ...toResource(group),
      ...(group.members && { members: group.members }),
      [signetGroupUrn]: { groupName: group.name },
      meta: toMeta(groupSchema, scimUrl, group),
    },
    projection,
  )

type Found = { id: string; status: 200 | 201 }

/** The group as it is stored. Its members are read only where they are wanted. */
export async function replyWith(call: ScimCall, database: Database, { id, status }: Found): Promise<ScimReply> {
  const { organizationId, directory, scimUrl } = call
  const projection = readProjection(groupSchema, call.query)
  const hasMembers = isWanted(projection, 'members')
  const queries = hasMembers ? database.pages : database.read
  const group = await findGroup(queries, organizationId, directory.id, { id, hasMembers })
  if (!group) throw noSuchResource()
  return { status, body: toGroupAnswer(group, scimUrl, projection), version: group.version }
}
