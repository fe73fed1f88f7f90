import NLOSCore
import TransientSensor
print("nlos-bridge")
