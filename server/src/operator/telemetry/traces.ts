import { AsyncLocalStorage } from 'node:async_hooks'
import {
  createContextKey,
  type Tracer as Library,
  type Span as LibrarySpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import type { Resource } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Origin, Span, SpanAttributes, Tracer, Work } from '../../ground/runtime/tracer.ts'
import { batches } from './batches.ts'

/** `sampler`: a name of OpenTelemetry's; one that begins with `parentbased_` obeys the caller's trace. */
export type TraceSettings = { sampler: string; samplerRatio: number }

/** Spans wait in a bounded queue; what does not fit, because the collector is slow or unavailable, is dropped. */
export function createTraces(settings: TraceSettings, resource: Resource): { tracer: Tracer; stop(): Promise<void> } {
  const processor = new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), ...batches })
  const provider = new TracerProvider({ resource, sampler: samplerOf(settings), spanProcessors: [processor] })
  return { tracer: toTracer(provider.getTracer('signet')), stop: () => provider.shutdown() }
}

function samplerOf({ sampler, samplerRatio }: TraceSettings): Sampler {
  const root = rootSamplers[sampler.replace('parentbased_', '')]?.(samplerRatio) ?? new AlwaysOnSampler()
  if (!sampler.startsWith('parentbased_')) return root
  const [trusting, bounded] = [
    new ParentBasedSampler({ root }),
    new ParentBasedSampler({ root, remoteParentSampled: root }),
  ]
  return {
    shouldSample: (context, ...work) =>
      (context.getValue(isOfOrganization) ? bounded : trusting).shouldSample(context, ...work),
    toString: () => sampler,
  }
}

/** Of the context of a parent that an organization has named. */
const isOfOrganization = createContextKey('the parent is named by an organization')

const rootSamplers: Record<string, ((ratio: number) => Sampler) | undefined> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  internal: SpanKind.INTERNAL,
}

/**
 * The context is kept here, not in the library: it holds only recorded spans, so a statement that is not sampled costs one look-up. After
 * a span ends, nothing becomes its child.
 */
function toTracer(library: Library): Tracer {
  const around = new AsyncLocalStorage<LibrarySpan>()

  const start = (
    { name, kind, attributes }: Work,
    parent: SpanContext | null,
    { isParentBounded, startedAt }: Omit<Origin, 'parent'> = {},
  ) => {
    const root = ROOT_CONTEXT.setValue(isOfOrganization, isParentBounded)
    const context = parent ? trace.setSpanContext(root, parent) : root
    const options = { kind: kinds[kind], attributes: attributes ?? {}, ...(startedAt && { startTime: startedAt }) }
    const span = library.startSpan(name, options, context)
    return span.isRecording() ? toSpan(span, around) : undefined
  }

  const currentOf = () => {
    const span = around.getStore()
    return span?.isRecording() ? span : undefined
  }

  return {
    begin: (work, { parent, isParentBounded, startedAt } = {}) =>
      start(work, parent ? parseParent(parent) : null, { isParentBounded, startedAt }),
    within: async (work, run) => {
      const parent = currentOf()
      const span = parent && start(work, parent.spanContext())
      if (!span) return run(undefined)
      try {
        const result = await span.run(() => run(span))
        span.end()
        return result
      } catch (error) {
        span.end({ error: codeOf(error) })
        throw error
      }
    },
    current: () => {
      const span = currentOf()
      return span && toSpan(span, around)
    },
  }
}

/** What is not of its form begins a new trace. Of `tracestate` nothing is read, so that nothing of it is sent on. */
const parseParent = (traceparent: string): SpanContext | null => {
  const parent = parseTraceParent(traceparent)
  return parent && { ...parent, isRemote: true }
}

function toSpan(span: LibrarySpan, around: AsyncLocalStorage<LibrarySpan>): Span {
  const { traceId, spanId, traceFlags } = span.spanContext()
  const set = (attributes: SpanAttributes) => void span.setAttributes(attributes)
  return {
    ids: { trace_id: traceId, span_id: spanId },
    set,
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    run: (work) => around.run(span, work),
    end: ({ attributes = {}, error } = {}) => {
      if (error) span.setStatus({ code: SpanStatusCode.ERROR })
      span.setAttributes({ ...attributes, ...(error && { 'error.type': error }) })
      span.end()
    },
  }
}

/** The code of PostgreSQL, of the system or of the interface; else the kind of error. */
const codeOf = (error: unknown): string => {
  const { code } = (error ?? {}) as { code?: unknown }
  if (typeof code === 'string') return code
  return error instanceof Error ? error.constructor.name : 'unknown'
}
