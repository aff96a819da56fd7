import { version } from '../../runtime/version.ts'
import { mayBeLeftOut } from '../chain/json-body.ts'
import type { Operation } from '../chain/operation.ts'
import { scopesOf } from '../chain/require-scopes.ts'
import { listed } from '../chain/scopes.ts'
import { tags } from '../chain/tags.ts'
import { codeSamplesOf } from './code-samples.ts'
import { createComponents, type Refer } from './components.ts'
import { pageParameters, parametersOf, streamParameters, writeParameters } from './described-parameters.ts'
import { headers, refusals, refusalsOf, successOf } from './described-replies.ts'
import { introductionAt } from './introduction.ts'
import { toBytesContent, toJsonContent } from './json-content.ts'

/** A request that Signet sends to receivers. */
export type WebhookRequest = { name: string; summary: string; description: string; body: object; example: string }
/** `schemas` are those that the descriptions of the requests refer to. */
export type WebhookRequests = { requests: WebhookRequest[]; schemas: Record<string, object> }

type Described = { baseUrl: string; operations: Operation[]; sent: WebhookRequests }

/** The OpenAPI document, from the very schemas that validate. */
export function buildDocument({ baseUrl, operations, sent }: Described) {
  const { refer, schemas } = createComponents()
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}')
    const described = { ...describeOperation(operation, refer), 'x-codeSamples': codeSamplesOf(operation, baseUrl) }
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Signet',
      version,
      summary: 'Self-hosted, multi-tenant identity service with signed, durable webhooks',
      description: introductionAt(`${baseUrl}/help`),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: { url: `${baseUrl}/help`, description: 'Help' },
    servers: [{ url: baseUrl }],
    tags,
    paths,
    webhooks: Object.fromEntries(
      sent.requests.map((request) => [request.name, { post: describeWebhookRequest(request, refer) }]),
    ),
    components: {
      parameters: { ...writeParameters, ...streamParameters, ...pageParameters(refer) },
      headers: refer(headers),
      responses: refusals(refer),
      securitySchemes,
      schemas: { ...schemas(), ...sent.schemas },
    },
  }
}

const key = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description })
const securitySchemes = {
  organization: key('Service-OrgID', 'The id of the organization, a UUID.'),
  key: key('Service-API-Key', 'An API key of that organization.'),
  operator: key('Service-Operator-Key', "The operator's key (SIGNET_OPERATOR_KEY)."),
  id_token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An ID token that Signet gave an application of the organization.',
  },
}

function describeOperation(operation: Operation, refer: Refer) {
  const { id, tag, summary, body, bytes, status, recentSignIn } = operation
  const description = [operation.description, recentSignIn && recentSentence, scopeSentence(operation)]
    .filter(Boolean)
    .join('\n\n')
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    security: securityOf(operation),
    parameters: parametersOf(operation, refer),
    ...(body && { requestBody: { required: !mayBeLeftOut(body), content: toJsonContent(body, refer) } }),
    ...(bytes && { requestBody: { required: true, content: toBytesContent(bytes.mediaTypes) } }),
    responses: { [status]: successOf(operation, refer), ...refusalsOf(operation) },
  }
}

const recentSentence = 'In the console it needs a sign-in younger than an hour.'

function scopeSentence(operation: Operation) {
  const scopes = scopesOf(operation)
  if (scopes.length === 0) return ''
  return `Scope: ${listed(scopes.map((scope) => `\`${scope}\``))}${operation.adminOnly ? ', and only admin keys' : ''}.`
}

/** The scopes stand where OpenAPI has the roles that a key needs. */
function securityOf(operation: Operation): Record<string, string[]>[] {
  const { access, takesIdToken } = operation
  if (access === 'operator') return [{ operator: [] }]
  if (access === 'key') return [{ organization: [], key: [...scopesOf(operation)] }]
  if (access === 'organization_in_path' || access === 'link') return []
  return takesIdToken ? [{ organization: [] }, { organization: [], id_token: [] }] : [{ organization: [] }]
}

/** A response of 2XX ends a delivery; after any other the request is repeated. */
const describeWebhookRequest = ({ name, summary, description, body, example }: WebhookRequest, refer: Refer) => ({
  operationId: name,
  tags: ['Webhooks'],
  summary,
  description,
  requestBody: { required: true, content: { 'application/jwt': { schema: refer(body), example } } },
  responses: {
    '2XX': { description: 'The call succeeded.' },
    default: { description: 'The call failed, and is repeated.' },
  },
})
