/**
 * Traces, as slices see them: spans of work, one within another. `telemetry/` makes those that are exported; `untraced` stands for them
 * where the operator asks for none, and costs nothing.
 */

/** What is done: `server` answers a request, `client` makes one, `producer` writes what others take up later. */
type SpanKind = 'server' | 'client' | 'producer' | 'internal'

/** They say what kind of work it is: never whose, and never with which values. */
export type SpanAttributes = Record<string, string | number | undefined>

export type Work = { name: string; kind: SpanKind; attributes?: SpanAttributes }

export type Span = {
  /** For lines of the log. */
  ids: { trace_id: string; span_id: string }
  /** The header by which others continue the trace (W3C Trace Context). */
  traceparent: string
  /** What `work` does, and what it starts, is within this span until the span ends. */
  run<Result>(work: () => Result): Result
  /** `error`: the code of what went wrong, never a message, which may quote values. */
  end(outcome?: { attributes?: SpanAttributes; error?: string | undefined }): void
  set(attributes: SpanAttributes): void
}

export type Origin = {
  /** The `traceparent` of what it belongs to, wherever that is. */
  parent?: string | undefined
  /** That the parent is sampled does not make the work so: the operator's sampler decides, as for a trace that begins. */
  isParentBounded?: boolean | undefined
  /** By `performance.now()`, where it began earlier. */
  startedAt?: number | undefined
}

export type Tracer = {
  /** Undefined where the sampler leaves it out. */
  begin(work: Work, origin?: Origin): Span | undefined
  /** Runs `run` in a span within the one around it. Where there is none, or it has ended, nothing is recorded. */
  within<Result>(work: Work, run: (span: Span | undefined) => Promise<Result>): Promise<Result>
  /** The span around, which has not ended. */
  current(): Span | undefined
}

export const untraced: Tracer = {
  begin: () => undefined,
  within: (_work, run) => run(undefined),
  current: () => undefined,
}
