import { useQuery } from '@tanstack/react-query'
import { messagesOf } from '../design/problems.ts'
import { useSettled } from '../design/settled.ts'
import { signet } from '../service/signet.ts'
import { type Command, toCommand } from './found.ts'

export type Search = { found: Command[]; state: 'idle' | 'searching' | 'failed'; error?: string }

/** The interface takes no more; what begins so is found all the same. */
const maxLength = 200

/** One request for what is typed, once typing pauses; one that is outdated is given up. */
export function useSearch(typed: string, isWanted: boolean): Search {
  const q = useSettled(typed)
  const query = useQuery({
    queryKey: ['search', q],
    queryFn: ({ signal }) => signet.search({ query: { q: q.slice(0, maxLength) }, signal }),
    enabled: isWanted && q === typed && q !== '',
    staleTime: 0,
  })
  if (!isWanted || typed === '') return { found: [], state: 'idle' }
  if (q !== typed || query.isPending) return { found: [], state: 'searching' }
  if (query.isError) return { found: [], state: 'failed', error: messagesOf(query.error).join('; ') }
  return { found: query.data.result.map(toCommand), state: 'idle' }
}
