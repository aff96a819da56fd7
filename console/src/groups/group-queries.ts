import { useQuery } from '@tanstack/react-query'
import { signet } from '../service/signet.ts'

export const useGroup = (name: string) =>
  useQuery({
    queryKey: ['getGroup', name],
    queryFn: ({ signal }) => signet.getGroup({ path: { group_name: name }, signal }),
  })
