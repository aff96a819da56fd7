/**
 * Settings that Signet depends on, made on each connection because a server, database or role may have other defaults. They
 * are made by `set` after connecting: poolers refuse parameters in the start-up packet.
 */

/** `work`: rows by key. `queue`: few rows of many, in the order of an index. */
export type Planning = 'work' | 'queue'

/**
 * Without sequential scans, because on nearly empty tables the planner prefers them and keeps the plan on the connection
 * when the tables have grown (setting groups beside 20,000 groups: 605/s, and 2,751/s with this). That raises estimated
 * costs over `jit_above_cost`: with `jit` a claim was compiled at each execution (0.9 s instead of 7 ms).
 */
const planner = {
  jit: 'off',
  enable_seqscan: 'off',
  // The default of 4 overestimates index scans on the hardware that the tests ran on.
  random_page_cost: '1.1',
  plan_cache_mode: 'auto',
  // The plan types that must stay available.
  enable_nestloop: 'on',
  enable_indexscan: 'on',
  enable_indexonlyscan: 'on',
  // Any other value makes GIN indexes return a random subset.
  gin_fuzzy_search_limit: '0',
}

/**
 * Fixes the plans of the queue, whose tables may be empty when a plan is made: it would be kept until the next analyze and
 * could read every row added since.
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

/** Formats of values and properties of transactions. */
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
    // First, because it limits the settings that follow as well.
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
