import { type Context, compareSchemas } from './compare-schemas.ts'
import type { Answer, Body, Content, Document, Operation, Parameter, Reference } from './document.ts'

type Both = { kept: Document; now: Document; known: Context['known'] }

/** What of the kept interface no longer holds, and for whom. */
export function compareDocuments(kept: Document, now: Document): string[] {
  const both = { kept, now, known: new Map() }
  const operations = Object.entries(kept.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`
      const found = now.paths[path]?.[method]
      return found ? compareOperations(operation, found, name, both) : [`${name} is gone: breaks clients that call it`]
    }),
  )
  return [...new Set([...operations, ...compareSchemes(both), ...compareWebhooks(both)])]
}

const compareSchemes = ({ kept, now }: Both) =>
  Object.entries(kept.components.securitySchemes).flatMap(([scheme, before]) =>
    (['type', 'in', 'name', 'scheme'] as const)
      .map((member) => ({ member, was: before[member], is: now.components.securitySchemes[scheme]?.[member] }))
      .filter(({ was, is }) => was !== is)
      .map(
        ({ member, was, is }) =>
          `${scheme} has the ${member} ${is ?? 'none'} in place of ${was ?? 'none'}: breaks clients that send it`,
      ),
  )

const compareOperations = (kept: Operation, now: Operation, name: string, both: Both) => [
  ...(kept.operationId === now.operationId
    ? []
    : [`${name} has the id ${now.operationId} in place of ${kept.operationId}: breaks generated clients`]),
  ...compareSecurity(kept, now, name),
  ...compareParameters(kept, now, name, both),
  ...compareBodies(kept.requestBody, now.requestBody, name, both),
  ...compareSuccesses(kept, now, name),
  ...compareAnswers(kept, now, name, both),
]

/** Each way in is still one: some way needs no scheme and no scope more. */
const compareSecurity = (kept: Operation, now: Operation, name: string) =>
  kept.security
    .filter((way) => now.security.length > 0 && !now.security.some((other) => needsNoMore(other, way)))
    .map(
      (way) =>
        `${name} needs more than ${Object.keys(way).join(' and ')} with ${Object.values(way).flat().join(', ') || 'no scope'}: breaks keys that may call it`,
    )
    .concat(
      kept.security.length === 0 && now.security.length > 0
        ? [`${name} needs a key now: breaks clients without one`]
        : [],
    )

const needsNoMore = (now: Operation['security'][number], kept: Operation['security'][number]) =>
  Object.entries(now).every(
    ([scheme, scopes]) => scopes.every((scope) => kept[scheme]?.includes(scope)) && kept[scheme],
  )

function compareParameters(kept: Operation, now: Operation, name: string, both: Both) {
  const before = kept.parameters.map((each) => inFull(each, both.kept.components.parameters))
  const after = now.parameters.map((each) => inFull(each, both.now.components.parameters))
  const same = (one: Parameter) => (other: Parameter) => one.in === other.in && one.name === other.name
  const changed = before.flatMap((each) => {
    const found = after.find(same(each))
    const context = contextOf(both, `${name} ${each.name}`, 'sent', 'clients')
    return found
      ? compareSchemas(each.schema, found.schema, context)
      : [`${context.name} is gone: breaks clients that send it`]
  })
  const demanded = after.filter((each) => each.required && !before.find(same(each))?.required)
  return [...changed, ...demanded.map((each) => `${name} needs ${each.name} now: breaks clients that do not send it`)]
}

function compareBodies(kept: Body | undefined, now: Body | undefined, name: string, both: Both) {
  const demanded = now?.required && !kept?.required ? [`${name} needs a body now: breaks clients that send none`] : []
  if (!kept) return demanded
  return [
    ...demanded,
    ...compareContent(kept.content, now?.content, contextOf(both, `${name} body`, 'sent', 'clients')),
  ]
}

/** A further refusal is an addition; a further way to succeed is one that clients do not know. */
const compareSuccesses = (kept: Operation, now: Operation, name: string) =>
  Object.keys(now.responses)
    .filter((status) => !/^[45]/.test(status) && !kept.responses[status])
    .map((status) => `${name} may be answered ${status} now: breaks clients that do not expect it`)

function compareAnswers(kept: Operation, now: Operation, name: string, both: Both) {
  return Object.entries(kept.responses).flatMap(([status, answer]) => {
    const found = now.responses[status]
    if (!found) return [`${name} is not answered ${status} any more: breaks clients that expect it`]
    const before = inFull(answer, both.kept.components.responses)
    const after = inFull(found, both.now.components.responses)
    const context = contextOf(both, `${name} ${status}`, 'read', 'clients')
    return [...compareHeaders(before, after, context.name), ...compareContent(before.content, after.content, context)]
  })
}

const compareHeaders = (kept: Answer, now: Answer, name: string) =>
  Object.keys(kept.headers ?? {})
    .filter((header) => !now.headers?.[header])
    .map((header) => `${name} has no header ${header} any more: breaks clients that read it`)

const compareContent = (kept: Content = {}, now: Content = {}, context: Context) =>
  Object.entries(kept).flatMap(([mediaType, { schema }]) => {
    const found = now[mediaType]
    return found
      ? compareSchemas(schema, found.schema, context)
      : [`${context.name} has no ${mediaType} any more: breaks ${context.whom} that use it`]
  })

/** What Signet sends, receivers read. */
const compareWebhooks = (both: Both) =>
  Object.entries(both.kept.webhooks).flatMap(([name, { post }]) => {
    const found = both.now.webhooks[name]
    const context = contextOf(both, name, 'read', 'receivers')
    return found
      ? compareContent(post.requestBody.content, found.post.requestBody.content, context)
      : [`${name} is not sent any more: breaks receivers that wait for it`]
  })

const contextOf = (
  { kept, now, known }: Both,
  name: string,
  direction: Context['direction'],
  whom: string,
): Context => ({
  name,
  direction,
  whom,
  schemas: { kept: kept.components.schemas, now: now.components.schemas },
  known,
})

const inFull = <Part extends object>(part: Part | Reference, named: Record<string, Part>): Part =>
  '$ref' in part ? (named[part.$ref.slice(part.$ref.lastIndexOf('/') + 1)] as Part) : part
