import { clusterCases } from './cluster-suite.ts'
import { stubRayCluster } from './stub-ray-cluster.ts'

clusterCases('ray', stubRayCluster)
