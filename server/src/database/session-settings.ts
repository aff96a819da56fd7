/**
 * What Signet depends on is set on each connection, for a server, a database or a role may have it otherwise. By `set` after
 * connecting: poolers refuse parameters of the start-up packet.
 */

/** `work`: rows found by their keys. `queue`: few rows from many, each by an index and in its order. */
export type Planning = 'work' | 'queue'

/**
 * Rows are found by their keys. On nearly empty tables the planner would rather scan them, keep that plan on the
 * connection, and still scan when they have grown (setting groups beside 20,000 groups: 605/s, and 2,751/s with this).
 * That raises estimated costs over `jit_above_cost`: with `jit` a claim was compiled at each execution (0.9 s in place of 7 ms).
 */
const planner = {
  jit: 'off',
  enable_seqscan: 'off',
  // A stock server takes four times as much for an index as the tests have seen.
  random_page_cost: '1.1',
  plan_cache_mode: 'auto',
  // What is left on when others are switched off.
  enable_nestloop: 'on',
  enable_indexscan: 'on',
  enable_indexonlyscan: 'on',
  // Else an index of lists gives a random part of what it finds.
  gin_fuzzy_search_limit: '0',
}

/**
 * Whatever the statistics of tables that were just empty say: a plan is kept until PostgreSQL has counted anew, and may read all
 * that has come by then.
 */
const queuePlanner = {
  ...planner,
  plan_cache_mode: 'force_generic_plan',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  enable_incremental_sort: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
}

/** How values are written and read, and what a transaction is. */
const meaning = {
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  exit_on_error: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
}

const idleInTransactionTimeoutMs = 10_000

/** One message of the simple protocol; `statementTimeoutMs` 0 is none. */
export function settingsText(planning: Planning, statementTimeoutMs: number): string {
  const settings = {
    // First, for it holds for what follows.
    statement_timeout: `${statementTimeoutMs}`,
    ...(planning === 'queue' ? queuePlanner : planner),
    ...meaning,
    lock_timeout: '0',
    idle_session_timeout: '0',
    idle_in_transaction_session_timeout: `${idleInTransactionTimeoutMs}`,
  }
  // PostgreSQL 17 and later.
  const limit = `select set_config('transaction_timeout', '0', false) where current_setting('server_version_num')::int >= 170000`
  return [...Object.entries(settings).map(([name, value]) => `set ${name} = '${value}'`), limit].join('; ')
}
