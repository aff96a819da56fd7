import type { TSchema } from 'typebox'
import { timeoutRange } from '../chain/consistency.ts'
import { idempotencyKeyPattern, takesIdempotencyKey } from '../chain/idempotency-key.ts'
import { type Operation, writes } from '../chain/operation.ts'
import { CursorQuery, PageQuery } from '../chain/schemas.ts'
import type { Refer } from './components.ts'
import { exampleOf } from './example.ts'

/** The parameters of every writing operation (4, common header parameters). */
export const writeParameters = {
  Consistency: {
    name: 'Service-Required-Consistency',
    in: 'header',
    required: false,
    description: 'Wait until the change is committed in the local region, or until all regions have it.',
    schema: { type: 'string', enum: ['local_region', 'all_regions'], default: 'local_region' },
  },
  ConsistencyTimeout: {
    name: 'Service-Required-Consistency-Timeout',
    in: 'header',
    required: false,
    description: 'Seconds to wait for that. After them the reply is 408, and the change may still be made.',
    schema: {
      type: 'integer',
      minimum: timeoutRange.min,
      maximum: timeoutRange.max,
      default: timeoutRange.standard,
    },
  },
  CorrelationId: {
    name: 'Service-Correlation-Id',
    in: 'header',
    required: false,
    description: 'Becomes the `analytics_correlation_id` of the events that the request causes. Default: a new one.',
    schema: { type: 'string', format: 'uuid' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes the call safe to repeat: the same call with the same key of the same API key is answered as the first one was, for 24 ' +
      'hours, or for 10 minutes where the answer has a secret or handles. Make a new key for each call, such as a UUID.',
    schema: { type: 'string', pattern: idempotencyKeyPattern },
  },
}

const parameter = (place: 'path' | 'query', name: string, schema: TSchema, required: boolean, refer: Refer) => {
  const { description, examples: _, ...rest } = schema as TSchema & { description?: string; examples?: unknown[] }
  const shown = required ? { example: exampleOf(schema) } : {}
  return { name, in: place, required, description, ...shown, schema: refer(rest) }
}

export const streamParameters = {
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'The `id` of the last message that the client had: an event stream goes on behind it.',
    schema: { type: 'string' },
  },
}

export const pageParameters = (refer: Refer) => ({
  Limit: parameter('query', 'limit', PageQuery.limit, false, refer),
  Offset: parameter('query', 'offset', PageQuery.offset, false, refer),
  After: parameter('query', 'after', CursorQuery.after, false, refer),
})

export function parametersOf(operation: Operation, refer: Refer) {
  const { params, query, paged, access, eventStream } = operation
  const of = (place: 'path' | 'query', schema: typeof params) =>
    Object.entries<TSchema>(schema?.properties ?? {}).map(([name, its]) =>
      parameter(place, name, its, schema?.required?.includes(name as never) ?? false, refer),
    )
  const paging = paged ? ['Limit', paged === true ? 'Offset' : 'After'] : []
  const writing = writes(operation) ? ['Consistency', 'ConsistencyTimeout'] : []
  const causing = writes(operation) && access !== 'operator' && access !== 'link' ? ['CorrelationId'] : []
  const repeating = takesIdempotencyKey(operation) ? ['IdempotencyKey'] : []
  const streaming = eventStream ? ['LastEventId'] : []
  const shared = [...paging, ...streaming, ...writing, ...causing, ...repeating].map((name) => ({
    $ref: `#/components/parameters/${name}`,
  }))
  return [...of('path', params), ...of('query', query), ...shared]
}
