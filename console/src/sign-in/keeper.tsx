import type { CountedDirectory, ListDirectoriesData } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { ShortText } from '../design/text.tsx'
import { Link } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { useMay } from '../session/session.ts'
import { directoryPath } from './paths.ts'

export type Keeper = Pick<CountedDirectory, 'id' | 'name'>

/** The directory that keeps a person or a group; undefined where none does, or the caller may not read directories. */
export function useKeeper(kept: NonNullable<ListDirectoriesData['query']>): Keeper | undefined {
  const { data } = useQuery({
    queryKey: ['listDirectories', kept],
    queryFn: async ({ signal }) => (await signet.listDirectories({ query: kept, signal })).result,
    enabled: useMay('directories:read'),
  })
  return data?.[0]
}

export const KeeperLink = ({ keeper: { id, name } }: { keeper: Keeper }) => (
  <Link to={directoryPath(id)}>
    <ShortText>{name}</ShortText>
  </Link>
)
