import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientAddress } from '../../../ground/http/socket/client-address.ts'
import type { CallerLimit } from '../../../ground/http/socket/rate-limit.ts'
import { scimUrlOf } from '../../directories/index.ts'
import { ScimError } from '../errors.ts'
import type { Attribute, ResourceSchema, Schema } from '../schema/attributes.ts'
import { groupSchema } from '../schema/group-schema.ts'
import { userSchema } from '../schema/user-schema.ts'
import { organizationIn } from './admission.ts'
import { maxResults, toList } from './list-query.ts'
import { sendScim } from './media-type.ts'

type Described = { id: string; body: object }

const core = 'urn:ietf:params:scim:schemas:core:2.0'

/** What a client may ask without a token (RFC 7644, 4): the same for each organization, but for the addresses. */
export const discovery = [
  { path: '/ServiceProviderConfig', describe: (scimUrl: string) => describeService(scimUrl) },
  ...listed('/ResourceTypes', (scimUrl) => [userSchema, groupSchema].map((schema) => describeType(schema, scimUrl))),
  ...listed('/Schemas', (scimUrl) =>
    [userSchema, ...userSchema.extensions, groupSchema, ...groupSchema.extensions].map((schema) =>
      describeSchema(schema, scimUrl),
    ),
  ),
]

function listed(path: string, all: (scimUrl: string) => Described[]) {
  const describe = (scimUrl: string) => {
    const bodies = all(scimUrl).map(({ body }) => body)
    return toList(bodies, bodies.length, 1)
  }
  const describeOne = (scimUrl: string, id: string) => {
    const found = all(scimUrl).find((each) => each.id.toLowerCase() === id.toLowerCase())
    if (!found) throw new ScimError(404, `id: none of ${path} has it`)
    return found.body
  }
  return [
    { path, describe },
    { path: `${path}/:id`, describe: describeOne },
  ]
}

export function serveDiscovery(
  scope: FastifyInstance,
  { baseUrl, callers }: { baseUrl: string; callers: CallerLimit },
) {
  const onRequest = async (request: FastifyRequest) => {
    callers.takeAddress(clientAddress(request))
    request.organizationId = organizationIn(request)
    const { filter } = request.query as { filter?: unknown }
    if (filter !== undefined) throw new ScimError(403, 'filter: must be absent, for this cannot be searched')
  }
  for (const { path, describe } of discovery)
    scope.get(`/scim/:organization_id/v2${path}`, { onRequest }, async (request, reply: FastifyReply) => {
      const { id = '' } = request.params as { id?: string }
      const body = describe(scimUrlOf(baseUrl, request.organizationId), id)
      return sendScim(reply, body)
    })
}

const describeService = (scimUrl: string) => ({
  schemas: [`${core}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A token of the directory, which an administrator of Signet makes',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${scimUrl}/ServiceProviderConfig` },
})

const describeType = ({ id, name, description, endpoint, extensions }: ResourceSchema, scimUrl: string): Described => ({
  id: name,
  body: {
    schemas: [`${core}:ResourceType`],
    id: name,
    name,
    description,
    endpoint,
    schema: id,
    schemaExtensions: extensions.map((extension) => ({ schema: extension.id, required: false })),
    meta: { resourceType: 'ResourceType', location: `${scimUrl}/ResourceTypes/${name}` },
  },
})

const describeSchema = ({ id, name, description, attributes }: Schema, scimUrl: string): Described => ({
  id,
  body: {
    schemas: [`${core}:Schema`],
    id,
    name,
    description,
    attributes: attributes.map(describeAttribute),
    meta: { resourceType: 'Schema', location: `${scimUrl}/Schemas/${id}` },
  },
})

/** Bounds are Signet's own, and no characteristics of RFC 7643, 7. */
function describeAttribute(attribute: Attribute): object {
  const { subAttributes, maxLength: _, maxValues: __, refuseOthers: ___, ...characteristics } = attribute
  return { ...characteristics, ...(subAttributes && { subAttributes: subAttributes.map(describeAttribute) }) }
}
