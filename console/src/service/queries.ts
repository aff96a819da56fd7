import { SignetError } from '@signet/management'
import { MutationCache, notifyManager, type Query, QueryClient } from '@tanstack/react-query'
import { isNetworkAway, onNetworkBack } from '../network/network.ts'
import { waitForSignIn } from './page-session.ts'
import { isForRecentSignIn } from './session.ts'

const maxRetries = 2

/**
 * A request that may succeed later is made again, but never against a limit: that is shown with its time. Without a network it is made when
 * that is back.
 */
const isWorthRetrying = (failures: number, error: unknown) =>
  failures < maxRetries && !isNetworkAway() && error instanceof SignetError && error.isTemporary && error.status !== 429

/** Whether it was done is not known: nobody answered, or somebody else than Signet. */
const isUncertain = (error: unknown) => !(error instanceof SignetError) || error.errors.length === 0

/**
 * After a change everything that is shown is read anew, once the page has dealt with it: what a change leads to is known to the
 * service alone. What never changes says so by `staleTime: 'static'`. It has the answers of one organization: pages of another are
 * another load of the console. Nothing waits for a network: it fails at once, so that no change is sent when nobody thinks of it any more.
 */
export const queries: QueryClient = new QueryClient({
  mutationCache: new MutationCache({
    // Whatever sent it still waits for its end: a form, or a dialog.
    onError: (error, variables, _context, mutation) => {
      if (isForRecentSignIn(error)) waitForSignIn(() => mutation.execute(variables).catch(() => undefined))
    },
    onSettled: (_, error) => void ((!error || isUncertain(error)) && queries.invalidateQueries()),
  }),
  defaultOptions: {
    queries: {
      networkMode: 'always',
      retry: isWorthRetrying,
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      refetchOnReconnect: false,
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

// Before the next key or click. The library's own timer of 0 ms comes after those that wait already, and a form would be sent twice.
notifyManager.setScheduler(queueMicrotask)

const isWanting = (query: Query) => query.state.status === 'error' || query.isStale()

onNetworkBack(() => void queries.refetchQueries({ type: 'active', predicate: isWanting }))
