import { useCallback, useMemo } from 'react'
import { type NavigateOptions, navigate, type Place, useShown } from './router.ts'

const nowhere: Place = { pathname: '/', search: '', hash: '', key: '', state: undefined }

export const useLocation = (): Place => useShown()?.place ?? nowhere

export const useParams = () => useShown()?.params ?? {}

export const useNavigate = () => navigate

type Members = URLSearchParams | Record<string, string>
type SetMembers = (next: Members | ((before: URLSearchParams) => Members), options?: NavigateOptions) => void

/** What stands behind the `?` of the address, and how to change it. */
export function useSearchParams(): [URLSearchParams, SetMembers] {
  const { search } = useLocation()
  const members = useMemo(() => new URLSearchParams(search), [search])
  const change = useCallback<SetMembers>((next, options) => {
    const before = new URLSearchParams(location.search)
    void navigate(`?${new URLSearchParams(typeof next === 'function' ? next(before) : next)}`, options)
  }, [])
  return [members, change]
}
