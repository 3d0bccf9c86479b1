import { recoveryCases } from './recovery-suite.ts'
import { stubRayCluster } from './stub-ray-cluster.ts'

recoveryCases('ray', stubRayCluster)
